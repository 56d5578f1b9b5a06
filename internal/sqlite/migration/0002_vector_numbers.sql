-- Rows of vectors are found by one number: a key of two columns keeps rows in inner pages too, and finding one reads
-- twice as many.
DROP TRIGGER vectors_replace;
DROP TRIGGER vectors_erase;
CREATE TABLE vectors_by_number (
	num INTEGER PRIMARY KEY, -- model * 2^48 + memory
	row BLOB NOT NULL
);
INSERT INTO vectors_by_number (num, row) SELECT (model << 48) + memory, row FROM vectors;
DROP TABLE vectors;
ALTER TABLE vectors_by_number RENAME TO vectors;
CREATE TRIGGER models_uncovered AFTER DELETE ON vectors BEGIN
	UPDATE models SET memories = memories - 1 WHERE num = old.num >> 48;
END;
-- A vector says what a memory's words said: it goes with them.
CREATE TRIGGER vectors_replace AFTER UPDATE OF title, content, deleted_at ON memories
	WHEN old.title <> new.title OR old.content <> new.content OR new.deleted_at IS NOT NULL BEGIN
	DELETE FROM vectors WHERE num IN (SELECT (num << 48) + new.num FROM models);
END;
CREATE TRIGGER vectors_erase AFTER DELETE ON memories BEGIN
	DELETE FROM vectors WHERE num IN (SELECT (num << 48) + old.num FROM models);
END;
