"""A plain PostgreSQL that looks like Citus."""

STAND_IN = """
CREATE TABLE pg_dist_node (groupid int);
CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char", at serial);
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition VALUES ($1, 'n', 't') $$;
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF colocate_with <> 'none' AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass) THEN
        RAISE '% is not distributed', colocate_with;
    END IF;
    INSERT INTO pg_dist_partition VALUES ($1, 'h', 's');
END $$;
CREATE FUNCTION citus_add_local_table_to_metadata(regclass) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition VALUES ($1, 'n', 's') $$;
CREATE FUNCTION relation_is_a_known_shard(regclass) RETURNS bool LANGUAGE sql AS $$ SELECT false $$;
CREATE FUNCTION truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql AS $$ $$;
"""
"""The functions of Citus that `distribute_database` calls. They record calls and their order only."""

DROP_STAND_IN = """
DROP TABLE pg_dist_node, pg_dist_partition;
DROP FUNCTION create_reference_table, create_distributed_table, citus_add_local_table_to_metadata,
    relation_is_a_known_shard, truncate_local_data_after_distributing_table;
"""
PLACE_ALL = """
INSERT INTO pg_dist_partition SELECT oid, 'h', 's' FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname NOT LIKE 'pg\\_dist\\_%'
"""
