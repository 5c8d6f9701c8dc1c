"""Developer portal: descriptions of the registry for programs and their authors. It stores nothing."""
