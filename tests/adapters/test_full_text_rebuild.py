"""What an earlier version indexed on SQLite is found by the beginnings of this one."""

from pathlib import Path

import apsw

from haulier.adapters import migrations
from haulier.kernel.data.full_text import OWNER_LENGTH

WITH_FEW_BEGINNINGS = """
DROP TABLE open_address_full_text;
CREATE VIRTUAL TABLE open_address_full_text USING fts5(words, content='open_address', content_rowid='id',
    tokenize="ascii tokenchars '_~'", detail=none, columnsize=0, prefix='8 9');
INSERT INTO open_address (id, country, city, address, lat, lng, source, words)
    VALUES (1, 'CA', 'Toronto', '100 Queen St', 43.6, -79.3, 'city', '~~~ca_queen ~~~ca_street');
INSERT INTO open_address_full_text (open_address_full_text) VALUES ('rebuild')
"""


def test_the_index_is_made_anew_with_more_beginnings_and_all_rows(tmp_path: Path) -> None:
    file = tmp_path / "earlier.db"
    url = f"sqlite:///{file}"
    migrations.upgrade_schema(url, "0052")
    with apsw.Connection(str(file)) as earlier:
        earlier.execute(WITH_FEW_BEGINNINGS)
    migrations.upgrade_schema(url)
    with apsw.Connection(str(file)) as now:
        made = now.execute("SELECT sql FROM sqlite_master WHERE name = 'open_address_full_text'").get
        assert f"prefix='{' '.join(str(OWNER_LENGTH + letters) for letters in range(2, 9))}'" in made
        found = "SELECT rowid FROM open_address_full_text WHERE open_address_full_text MATCH '\"~~~ca_stree\" *'"
        assert now.execute(found).get == 1
        now.execute("DELETE FROM open_address")
        assert now.execute(found).get is None
    assert migrations.schema_differences(url) == []
