"""Developer portal: the registry describing itself to programs and to those who write them. It keeps nothing."""
