"""The steps of the pipeline that are more than a line, a file each."""
