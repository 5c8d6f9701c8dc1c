"""Map regions: installed files, and their builders."""
