-- The whole first schema. Conventions: times are milliseconds since 1970, UTC, and
-- NULL for "never"; projects and sessions are referred to by number, because every
-- index entry would otherwise repeat their names; row 0 of each is "none".

-- Facts about this store: device (which store wrote a journal entry).
CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;

-- AUTOINCREMENT: the journal names a project by its number, also after it is gone.
CREATE TABLE projects (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	name       TEXT NOT NULL UNIQUE,
	root       TEXT NOT NULL DEFAULT '',
	remote     TEXT NOT NULL DEFAULT '',
	decay      TEXT,            -- JSON; the project's own fading, NULL for the default
	created_at INTEGER NOT NULL
);
INSERT INTO projects (num, name, created_at) VALUES (0, '', 0);
-- Few or none: every search asks for them.
CREATE INDEX projects_decay ON projects (num) WHERE decay IS NOT NULL;

-- Names that were merged into a project.
CREATE TABLE project_aliases (
	alias   TEXT PRIMARY KEY,
	project INTEGER NOT NULL REFERENCES projects (num) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX project_aliases_project ON project_aliases (project);

CREATE TABLE sessions (
	num        INTEGER PRIMARY KEY,
	id         TEXT NOT NULL UNIQUE,
	project    INTEGER NOT NULL REFERENCES projects (num),
	directory  TEXT NOT NULL DEFAULT '',
	started_at INTEGER NOT NULL,
	ended_at   INTEGER,
	summary    TEXT NOT NULL DEFAULT '',
	active_at  INTEGER NOT NULL,
	live       INTEGER NOT NULL DEFAULT 0 -- live memories saved in it, kept in step as tallies are
);
CREATE INDEX sessions_project_active ON sessions (project, active_at DESC, num DESC);
CREATE INDEX sessions_active ON sessions (active_at DESC, num DESC);
INSERT INTO sessions (num, id, project, started_at, active_at) VALUES (0, '', 0, 0, 0);

-- AUTOINCREMENT: a number that an agent has seen must never come to mean another memory.
CREATE TABLE memories (
	num              INTEGER PRIMARY KEY AUTOINCREMENT,
	id               TEXT NOT NULL UNIQUE,
	sync_id          TEXT NOT NULL UNIQUE,
	project          INTEGER NOT NULL REFERENCES projects (num),
	session          INTEGER NOT NULL REFERENCES sessions (num),
	scope            TEXT NOT NULL,
	type             TEXT NOT NULL,
	origin           TEXT NOT NULL,
	title            TEXT NOT NULL,
	topic_key        TEXT,
	tool_name        TEXT,
	metadata         TEXT,      -- JSON object
	anchors          TEXT,      -- JSON array; NULL for most
	importance       REAL NOT NULL,
	strength         REAL NOT NULL,
	touched_at       INTEGER NOT NULL,
	permanent        INTEGER NOT NULL,
	access_count     INTEGER NOT NULL,
	last_accessed_at INTEGER,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	review_after     INTEGER,
	valid_from       INTEGER,
	valid_to         INTEGER,
	revision_count   INTEGER NOT NULL,
	duplicate_count  INTEGER NOT NULL,
	last_seen_at     INTEGER,
	deleted_at       INTEGER,
	hash             BLOB NOT NULL, -- SHA-256
	summary          TEXT,
	content          TEXT NOT NULL  -- last: the other columns are read without its overflow pages
);
CREATE INDEX memories_recent ON memories (created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_project_recent ON memories (project, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_forgotten ON memories (deleted_at DESC, num DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_session ON memories (session, num) WHERE deleted_at IS NULL;
CREATE INDEX memories_session_forgotten ON memories (session) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX memories_topic ON memories (topic_key, project, scope) WHERE topic_key IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX memories_review ON memories (review_after) WHERE review_after IS NOT NULL AND deleted_at IS NULL;
-- What every session should know, however old it is; the same condition stands in lastingSQL.
CREATE INDEX memories_lasting ON memories (project, permanent DESC, importance DESC, num DESC)
	WHERE deleted_at IS NULL AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
-- And of that what is of no single project: few rows, which must not be looked for among all; see beyondSQL.
CREATE INDEX memories_beyond ON memories (scope, permanent DESC, importance DESC, num DESC)
	WHERE deleted_at IS NULL AND scope <> 'project' AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
-- Eight bytes of the hash find the candidates; the whole hash decides.
CREATE INDEX memories_hash ON memories (substr(hash, 1, 8));
-- Both ends of a title find the candidates, at half the size of titles; the whole title decides.
CREATE INDEX memories_title ON memories (project, substr(title, 1, 12) || substr(title, -12)) WHERE deleted_at IS NULL;

-- How many live memories each project has of each type: counting them would read the whole
-- table. Kept in step by triggers, and for inserts by the program (unwritten.go).
CREATE TABLE tallies (
	project INTEGER NOT NULL REFERENCES projects (num) ON DELETE CASCADE,
	type    TEXT NOT NULL,
	live    INTEGER NOT NULL,
	PRIMARY KEY (project, type)
) WITHOUT ROWID;
CREATE TRIGGER tallies_delete AFTER DELETE ON memories WHEN old.deleted_at IS NULL BEGIN
	UPDATE tallies SET live = live - 1 WHERE project = old.project AND type = old.type;
	DELETE FROM tallies WHERE project = old.project AND type = old.type AND live = 0; -- a type's name may be private
	UPDATE sessions SET live = live - 1 WHERE num = old.session;
END;
CREATE TRIGGER tallies_update AFTER UPDATE OF project, session, type, deleted_at ON memories
	WHEN old.project <> new.project OR old.session <> new.session OR old.type <> new.type
	OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
	UPDATE sessions SET live = live - 1 WHERE old.deleted_at IS NULL AND num = old.session;
	UPDATE sessions SET live = live + 1 WHERE new.deleted_at IS NULL AND num = new.session;
	UPDATE tallies SET live = live - 1 WHERE old.deleted_at IS NULL AND project = old.project AND type = old.type;
	DELETE FROM tallies WHERE project = old.project AND type = old.type AND live = 0;
	INSERT INTO tallies (project, type, live) SELECT new.project, new.type, 1 WHERE new.deleted_at IS NULL
		ON CONFLICT (project, type) DO UPDATE SET live = live + 1;
END;

CREATE TABLE tags (
	memory INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	tag    TEXT NOT NULL,
	PRIMARY KEY (memory, tag)
) WITHOUT ROWID;
CREATE INDEX tags_tag ON tags (tag, memory);

CREATE TABLE revisions (
	memory      INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	number      INTEGER NOT NULL,
	type        TEXT NOT NULL,
	title       TEXT NOT NULL,
	written_at  INTEGER NOT NULL,
	replaced_at INTEGER NOT NULL,
	reason      TEXT NOT NULL,
	stamp       TEXT,           -- the write that the text comes from (lineage_text.go); NULL: not known
	content     TEXT NOT NULL
);
CREATE UNIQUE INDEX revisions_memory ON revisions (memory, number);

-- The index of words (docs/adr/0004-search-schema.md), in the codecs of internal/postings. A new
-- memory's words wait in unsealed until there are enough of them for a segment; small
-- segments are merged, and end in large ones, of one project each where it has enough.
CREATE TABLE unsealed (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: count and greatest tell one state from another
	memory   INTEGER NOT NULL,
	document BLOB NOT NULL,     -- one row of the documents of a segment
	words    BLOB NOT NULL      -- one block of a segment with this document alone
);
-- AUTOINCREMENT: what a process keeps in memory of a segment is known by its number and version.
CREATE TABLE segments (
	num     INTEGER PRIMARY KEY AUTOINCREMENT,
	level   INTEGER NOT NULL,   -- 1 and 2: small, to be merged; 3: large
	project INTEGER,            -- its one project; NULL: several
	version INTEGER NOT NULL,   -- index_state.changes when it was changed last
	slots   INTEGER NOT NULL,   -- documents, dead ones too
	live    INTEGER NOT NULL,
	tokens  INTEGER NOT NULL,   -- of the live ones
	firsts  BLOB NOT NULL       -- the first word of each block
);
CREATE TABLE postings (
	num   INTEGER PRIMARY KEY,  -- segment * 65536 + block
	words BLOB NOT NULL
);
CREATE TABLE documents (
	num  INTEGER PRIMARY KEY,   -- segment * 65536 + page
	rows BLOB NOT NULL
);
-- The lengths in documents once more, of large segments: all that most questions ask of most documents.
CREATE TABLE lengths (
	num  INTEGER PRIMARY KEY,   -- segment * 65536 + page
	rows BLOB NOT NULL
);
-- Types and scopes by the number that documents have of them.
CREATE TABLE kinds (
	num   INTEGER PRIMARY KEY AUTOINCREMENT,
	type  TEXT NOT NULL,
	scope TEXT NOT NULL,
	UNIQUE (type, scope)
);
-- One row. changes grows with every change of segments and kinds.
CREATE TABLE index_state (changes INTEGER NOT NULL);
INSERT INTO index_state VALUES (0);

CREATE TABLE relations (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	id         TEXT NOT NULL UNIQUE,
	source     INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	target     INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	verb       TEXT NOT NULL,
	status     TEXT NOT NULL,
	strength   REAL NOT NULL,
	reason     TEXT NOT NULL DEFAULT '',
	evidence   TEXT NOT NULL DEFAULT '',
	confidence REAL NOT NULL DEFAULT 0,
	actor      TEXT NOT NULL DEFAULT '',
	actor_kind TEXT NOT NULL DEFAULT '',
	model      TEXT NOT NULL DEFAULT '',
	session_id TEXT NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	removed_at INTEGER          -- taken away; the row stays, for the journal
);
CREATE UNIQUE INDEX relations_live ON relations (source, target, verb) WHERE removed_at IS NULL;
-- By verb: of a memory with a hundred thousand relations, what supersedes it is found at once.
CREATE INDEX relations_source ON relations (source, verb, removed_at);
CREATE INDEX relations_target ON relations (target, verb, removed_at);
-- Verdicts and what waits for one: a few among the ties that every save makes. The words
-- are those of the query, or SQLite does not see that they are the same.
CREATE INDEX relations_judgments ON relations (removed_at) WHERE removed_at IS NULL
	AND (verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict')
			OR verb = 'relates_to' AND confidence > 0);

CREATE TABLE prompts (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	sync_id    TEXT NOT NULL UNIQUE,
	project    INTEGER NOT NULL REFERENCES projects (num),
	session    INTEGER NOT NULL REFERENCES sessions (num),
	created_at INTEGER NOT NULL,
	deleted_at INTEGER,
	content    TEXT NOT NULL
);
-- deleted_at is NULL in all of them: with it the index answers a count alone.
CREATE INDEX prompts_recent ON prompts (created_at DESC, num DESC, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project_recent ON prompts (project, created_at DESC, num DESC, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project ON prompts (project) WHERE deleted_at IS NOT NULL;
CREATE INDEX prompts_session ON prompts (session, num);
CREATE VIRTUAL TABLE prompts_fts USING fts5 (
	content, scope,
	content = '', contentless_delete = 1, tokenize = 'ascii'
);

-- The paths that memories are anchored to, kept in step with memories.anchors. What was
-- seen of them is of this machine: no change, and not shared.
CREATE TABLE anchors (
	path   TEXT NOT NULL,
	memory INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	seen   TEXT,            -- changed or gone, when somebody last looked; NULL for nothing of note
	PRIMARY KEY (path, memory)
) WITHOUT ROWID;
CREATE INDEX anchors_memory ON anchors (memory);
CREATE INDEX anchors_seen ON anchors (memory) WHERE seen IS NOT NULL;

-- What is known of whether a memory may be told unasked (engram.Trust). It is of this store
-- alone: no change, and not shared.
CREATE TABLE trust (
	memory  INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	mark    TEXT NOT NULL,      -- suspect, approved, secret
	text    TEXT NOT NULL,      -- digest of the text that it is about; '': the memory
	reasons TEXT NOT NULL,      -- codes, separated by blanks
	at      INTEGER NOT NULL,
	PRIMARY KEY (memory, mark, text)
) WITHOUT ROWID;
CREATE INDEX trust_suspect ON trust (at, memory) WHERE mark = 'suspect';
CREATE INDEX trust_secret ON trust (memory) WHERE mark = 'secret';

-- Embedding models whose vectors are kept; the fingerprint says that two vectors may be compared.
CREATE TABLE models (
	num         INTEGER PRIMARY KEY AUTOINCREMENT, -- what a process keeps in memory is known by it
	name        TEXT NOT NULL,
	fingerprint TEXT NOT NULL UNIQUE,
	dimensions  INTEGER NOT NULL,
	memories    INTEGER NOT NULL DEFAULT 0, -- live memories that have a vector of it, kept in step by a trigger and owed.go
	changes     INTEGER NOT NULL DEFAULT 0  -- how often codes of it were written
);
-- One int8 row a live memory and model (internal/vector), for exact scores. No foreign
-- keys: without an index by memory each deletion would read the whole table.
CREATE TABLE vectors (
	model  INTEGER NOT NULL,
	memory INTEGER NOT NULL,
	row    BLOB NOT NULL,
	PRIMARY KEY (model, memory)
) WITHOUT ROWID;
CREATE TRIGGER models_uncovered AFTER DELETE ON vectors BEGIN
	UPDATE models SET memories = memories - 1 WHERE num = old.model;
END;
-- A vector says what a memory's words said: it goes with them.
CREATE TRIGGER vectors_replace AFTER UPDATE OF title, content, deleted_at ON memories
	WHEN old.title <> new.title OR old.content <> new.content OR new.deleted_at IS NOT NULL BEGIN
	DELETE FROM vectors WHERE memory = new.num AND model IN (SELECT num FROM models);
END;
CREATE TRIGGER vectors_erase AFTER DELETE ON memories BEGIN
	DELETE FROM vectors WHERE memory = old.num AND model IN (SELECT num FROM models);
END;
-- Codes of vectors, by which all are compared first, in the slots of the index's segments:
-- a row is a page of 512 (vector_codes.go).
CREATE TABLE vector_codes (
	num   INTEGER PRIMARY KEY, -- model * 2^48 + segment * 256 + page
	signs BLOB NOT NULL,
	sizes BLOB NOT NULL
);
-- The segments that have codes of a model; version is models.changes as they were written last.
CREATE TABLE coded (
	model   INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	version INTEGER NOT NULL,
	PRIMARY KEY (model, segment)
) WITHOUT ROWID;

-- The journal: what each verb did. See docs/adr/0003-journal.md.
CREATE TABLE mutations (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	op      INTEGER NOT NULL,
	at      INTEGER NOT NULL,   -- hybrid logical clock
	device  TEXT,               -- NULL: this store
	actor   TEXT NOT NULL,
	verb    TEXT NOT NULL,
	entity  TEXT NOT NULL,
	key     NOT NULL,           -- number, or text where the entity is named by one
	project INTEGER NOT NULL,
	reason  TEXT,
	was     TEXT,               -- JSON
	undoes  INTEGER             -- the op that this entry's op takes back
);
CREATE INDEX mutations_undoes ON mutations (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX mutations_key ON mutations (key, entity);
-- Few, and every erase looks through them.
CREATE INDEX mutations_project ON mutations (seq) WHERE entity = 'project';

-- What was shown to whom, at what cost.
CREATE TABLE uses (
	num     INTEGER PRIMARY KEY,
	at      INTEGER NOT NULL,
	session INTEGER NOT NULL REFERENCES sessions (num),
	project INTEGER NOT NULL,
	verb    TEXT NOT NULL,      -- search, recall, context, get
	query   TEXT,
	memory  INTEGER,            -- NULL: nothing was found
	rank    INTEGER,
	tokens  INTEGER NOT NULL,
	fallback INTEGER NOT NULL DEFAULT 0 -- a channel could not answer, or nothing was asked
);
-- How often each verb came to which outcome: numbers alone, by day for ever.
CREATE TABLE counters (
	day       INTEGER NOT NULL, -- since 1970, UTC
	project   INTEGER NOT NULL, -- 0: every one at once, or one that is gone
	verb      TEXT NOT NULL,
	outcome   TEXT NOT NULL,
	events    INTEGER NOT NULL,
	fallbacks INTEGER NOT NULL,
	memories  INTEGER NOT NULL,
	tokens    INTEGER NOT NULL,
	PRIMARY KEY (day, project, verb, outcome)
) WITHOUT ROWID;

CREATE INDEX uses_session ON uses (session, memory);
CREATE INDEX uses_memory ON uses (memory);
-- Every session is told the same few memories when it begins, and who counts what was asked for
-- must not look through that.
CREATE INDEX uses_asked ON uses (memory, at) WHERE verb NOT IN ('context', 'remind');

-- What was erased: a replica that still has it must not bring it back. Of one thing there is
-- a row for each project that has heard of it.
CREATE TABLE tombstones (
	entity  TEXT NOT NULL,
	name    TEXT NOT NULL,      -- sync id of a memory or a prompt, id of a session
	project TEXT NOT NULL,      -- where it was, which need not be here; '': not known
	id      TEXT NOT NULL,      -- of a memory; name where that is not known, and of others
	at      INTEGER NOT NULL,   -- hybrid logical clock
	bound   INTEGER NOT NULL,   -- 1: it came from there, and counts for that project alone
	PRIMARY KEY (entity, name, project)
) WITHOUT ROWID;

-- Which write each part of a thing comes from: what replicas are brought together by. The
-- thing is named as in the journal; its kind is a number (lineage_text.go), of which that of
-- most takes no room.
CREATE TABLE lineages (
	entity  INTEGER NOT NULL,
	key     NOT NULL,
	at      INTEGER NOT NULL,   -- the write that made it: hybrid logical clock,
	device  TEXT,               -- and store; NULL: this one
	digest  INTEGER NOT NULL,   -- engram.Lineage.Digest, by which carried is looked up
	more    TEXT,               -- JSON: parts, sets and counts; NULL: none
	held    TEXT,               -- JSON: what was written and is not shown; NULL: nothing
	project INTEGER,            -- of a session that has no row any more
	PRIMARY KEY (entity, key)
) WITHOUT ROWID;
CREATE INDEX lineages_held ON lineages (entity, key) WHERE held IS NOT NULL;
-- Few or none, and every edit and every forget asks for them; of what the undo of an import
-- hides, which may be all that there is, none is held for its topic.
CREATE INDEX lineages_topics ON lineages (entity, held ->> 'topic_key', key) WHERE instr(held, '"topic_key"');
-- What may have left a project since it was carried: each push asks, and most never moved.
CREATE INDEX lineages_moved ON lineages (entity, key) WHERE instr(more, '"project"') OR instr(more, '"scope"');
-- Sets of batches, each once: JSON array of ids, sorted.
CREATE TABLE carriers (
	num     INTEGER PRIMARY KEY,
	batches TEXT NOT NULL UNIQUE
);
-- Which states of things can be found in which sets of batches.
CREATE TABLE carried (
	entity  INTEGER NOT NULL,
	key     NOT NULL,
	digest  INTEGER NOT NULL,
	carrier INTEGER NOT NULL,
	project INTEGER,            -- the thing was in then
	PRIMARY KEY (entity, key, digest, carrier)
) WITHOUT ROWID;
-- Batches that were read to their end here, or written here.
CREATE TABLE pulled (
	batch   TEXT NOT NULL,
	project TEXT NOT NULL, -- for which it was read, which need not be here; '': for every one
	at      INTEGER NOT NULL,
	PRIMARY KEY (batch, project)
) WITHOUT ROWID;
-- Records that came from a remote and wait.
CREATE TABLE deferred (
	num      INTEGER PRIMARY KEY AUTOINCREMENT, -- a person names them by it
	entity   TEXT NOT NULL,
	id       TEXT NOT NULL,
	batch    TEXT NOT NULL,
	project  TEXT NOT NULL,     -- its name: it may not exist yet
	sent_by  TEXT NOT NULL,
	why      TEXT NOT NULL,
	reason   TEXT NOT NULL,
	tries    INTEGER NOT NULL,
	first_at INTEGER NOT NULL,
	last_at  INTEGER NOT NULL,
	record   TEXT NOT NULL,     -- JSON
	UNIQUE (entity, id, batch, project)
);
