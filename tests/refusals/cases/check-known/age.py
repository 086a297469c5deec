# The store as an older hone left it: of the measuring version before, under keys that nobody asks for.
import sqlite3

store = sqlite3.connect("old.sqlite")
for (key,) in store.execute("SELECT key FROM job").fetchall():
    older = bytes(byte ^ 255 for byte in key)
    store.execute("UPDATE job SET key = ?, measuring_version = 3 WHERE key = ?", (older, key))
    store.execute("UPDATE result SET job = ? WHERE job = ?", (older, key))
store.commit()
