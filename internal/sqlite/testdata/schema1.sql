CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE projects (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	name       TEXT NOT NULL UNIQUE,
	root       TEXT NOT NULL DEFAULT '',
	remote     TEXT NOT NULL DEFAULT '',
	decay      TEXT,            -- JSON; the project's own fading, NULL for the default
	created_at INTEGER NOT NULL
);
CREATE TABLE project_aliases (
	alias   TEXT PRIMARY KEY,
	project INTEGER NOT NULL REFERENCES projects (num) ON DELETE CASCADE
) WITHOUT ROWID;
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
CREATE TABLE tallies (
	project INTEGER NOT NULL REFERENCES projects (num) ON DELETE CASCADE,
	type    TEXT NOT NULL,
	live    INTEGER NOT NULL,
	PRIMARY KEY (project, type)
) WITHOUT ROWID;
CREATE TABLE tags (
	memory INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	tag    TEXT NOT NULL,
	PRIMARY KEY (memory, tag)
) WITHOUT ROWID;
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
CREATE TABLE unsealed (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: count and greatest tell one state from another
	memory   INTEGER NOT NULL,
	document BLOB NOT NULL,     -- one row of the documents of a segment
	words    BLOB NOT NULL      -- one block of a segment with this document alone
);
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
CREATE TABLE lengths (
	num  INTEGER PRIMARY KEY,   -- segment * 65536 + page
	rows BLOB NOT NULL
);
CREATE TABLE kinds (
	num   INTEGER PRIMARY KEY AUTOINCREMENT,
	type  TEXT NOT NULL,
	scope TEXT NOT NULL,
	UNIQUE (type, scope)
);
CREATE TABLE index_state (changes INTEGER NOT NULL);
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
CREATE TABLE prompts (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	sync_id    TEXT NOT NULL UNIQUE,
	project    INTEGER NOT NULL REFERENCES projects (num),
	session    INTEGER NOT NULL REFERENCES sessions (num),
	created_at INTEGER NOT NULL,
	deleted_at INTEGER,
	content    TEXT NOT NULL
);
CREATE VIRTUAL TABLE prompts_fts USING fts5 (
	content, scope,
	content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE TABLE anchors (
	path   TEXT NOT NULL,
	memory INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	seen   TEXT,            -- changed or gone, when somebody last looked; NULL for nothing of note
	PRIMARY KEY (path, memory)
) WITHOUT ROWID;
CREATE TABLE trust (
	memory  INTEGER NOT NULL REFERENCES memories (num) ON DELETE CASCADE,
	mark    TEXT NOT NULL,      -- suspect, approved, secret
	text    TEXT NOT NULL,      -- digest of the text that it is about; '': the memory
	reasons TEXT NOT NULL,      -- codes, separated by blanks
	at      INTEGER NOT NULL,
	PRIMARY KEY (memory, mark, text)
) WITHOUT ROWID;
CREATE TABLE models (
	num         INTEGER PRIMARY KEY AUTOINCREMENT, -- what a process keeps in memory is known by it
	name        TEXT NOT NULL,
	fingerprint TEXT NOT NULL UNIQUE,
	dimensions  INTEGER NOT NULL,
	memories    INTEGER NOT NULL DEFAULT 0, -- live memories that have a vector of it, kept in step by a trigger and owed.go
	changes     INTEGER NOT NULL DEFAULT 0  -- how often codes of it were written
);
CREATE TABLE vectors (
	model  INTEGER NOT NULL,
	memory INTEGER NOT NULL,
	row    BLOB NOT NULL,
	PRIMARY KEY (model, memory)
) WITHOUT ROWID;
CREATE TABLE vector_codes (
	num   INTEGER PRIMARY KEY, -- model * 2^48 + segment * 256 + page
	signs BLOB NOT NULL,
	sizes BLOB NOT NULL
);
CREATE TABLE coded (
	model   INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	version INTEGER NOT NULL,
	PRIMARY KEY (model, segment)
) WITHOUT ROWID;
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
CREATE TABLE tombstones (
	entity  TEXT NOT NULL,
	name    TEXT NOT NULL,      -- sync id of a memory or a prompt, id of a session
	project TEXT NOT NULL,      -- where it was, which need not be here; '': not known
	id      TEXT NOT NULL,      -- of a memory; name where that is not known, and of others
	at      INTEGER NOT NULL,   -- hybrid logical clock
	bound   INTEGER NOT NULL,   -- 1: it came from there, and counts for that project alone
	PRIMARY KEY (entity, name, project)
) WITHOUT ROWID;
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
CREATE TABLE carriers (
	num     INTEGER PRIMARY KEY,
	batches TEXT NOT NULL UNIQUE
);
CREATE TABLE carried (
	entity  INTEGER NOT NULL,
	key     NOT NULL,
	digest  INTEGER NOT NULL,
	carrier INTEGER NOT NULL,
	project INTEGER,            -- the thing was in then
	PRIMARY KEY (entity, key, digest, carrier)
) WITHOUT ROWID;
CREATE TABLE pulled (
	batch   TEXT NOT NULL,
	project TEXT NOT NULL, -- for which it was read, which need not be here; '': for every one
	at      INTEGER NOT NULL,
	PRIMARY KEY (batch, project)
) WITHOUT ROWID;
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
INSERT INTO meta (key, value) VALUES ('device', 'eb526eeee4dd27fd');
INSERT INTO meta (key, value) VALUES ('secret_rules', '4');
INSERT INTO meta (key, value) VALUES ('words', '1');
INSERT INTO projects (num, name, root, remote, decay, created_at) VALUES (0, '', '', '', NULL, 0);
INSERT INTO projects (num, name, root, remote, decay, created_at) VALUES (1, 'app', '/src/app', '', NULL, 1781254800000);
INSERT INTO project_aliases (alias, project) VALUES ('former', 1);
INSERT INTO sessions (num, id, project, directory, started_at, ended_at, summary, active_at, live) VALUES (0, '', 0, '', 0, NULL, '', 0, 0);
INSERT INTO sessions (num, id, project, directory, started_at, ended_at, summary, active_at, live) VALUES (1, 's-app', 1, '', 1781254800000, NULL, '', 1781254800003, 2);
INSERT INTO memories (num, id, sync_id, project, session, scope, type, origin, title, topic_key, tool_name, metadata, anchors, importance, strength, touched_at, permanent, access_count, last_accessed_at, created_at, updated_at, review_after, valid_from, valid_to, revision_count, duplicate_count, last_seen_at, deleted_at, hash, summary, content) VALUES (1, 'mem_a0000000000000000000000001', 'obs-a-1', 1, 1, 'project', 'fact', 'agent', 'The kettle''s lid', 'architecture/kettle', NULL, '{"ticket":"K-7"}', NULL, 0.5, 1.0, 1781254800000, 0, 0, NULL, 1781254800001, 1781254800000, NULL, NULL, NULL, 2, 1, NULL, NULL, X'0000000000000000000000000000000000000000000000000000000000000001', NULL, 'It whistles when the lid is shut.');
INSERT INTO memories (num, id, sync_id, project, session, scope, type, origin, title, topic_key, tool_name, metadata, anchors, importance, strength, touched_at, permanent, access_count, last_accessed_at, created_at, updated_at, review_after, valid_from, valid_to, revision_count, duplicate_count, last_seen_at, deleted_at, hash, summary, content) VALUES (2, 'mem_a0000000000000000000000002', 'obs-a-2', 1, 1, 'project', 'fact', 'agent', 'kettle of a', NULL, NULL, NULL, NULL, 0.5, 1.0, 1781254800000, 0, 0, NULL, 1781254800002, 1781254800000, NULL, NULL, NULL, 1, 1, NULL, NULL, X'0000000000000000000000000000000000000000000000000000000000000002', NULL, 'wordca boils 2 times. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. ');
INSERT INTO memories (num, id, sync_id, project, session, scope, type, origin, title, topic_key, tool_name, metadata, anchors, importance, strength, touched_at, permanent, access_count, last_accessed_at, created_at, updated_at, review_after, valid_from, valid_to, revision_count, duplicate_count, last_seen_at, deleted_at, hash, summary, content) VALUES (3, 'mem_a0000000000000000000000003', 'obs-a-3', 1, 1, 'project', 'fact', 'agent', 'kettle of a', NULL, NULL, NULL, NULL, 0.5, 1.0, 1781254800000, 0, 0, NULL, 1781254800003, 1781254800000, NULL, NULL, NULL, 1, 1, NULL, 1781254800000, X'0000000000000000000000000000000000000000000000000000000000000003', NULL, 'wordda boils 3 times. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. It whistles, it steams. ');
INSERT INTO tallies (project, type, live) VALUES (1, 'fact', 2);
INSERT INTO tags (memory, tag) VALUES (1, 'heat');
INSERT INTO tags (memory, tag) VALUES (1, 'lid');
INSERT INTO revisions (memory, number, type, title, written_at, replaced_at, reason, stamp, content) VALUES (1, 1, 'fact', 'The lid', 1781254800000, 1781254800000, 'topic key', NULL, 'It was loose.');
INSERT INTO unsealed (seq, memory, document, words) VALUES (1, 1, X'010000000000000081420FBB9E0100000100000001000000010000000A000000', X'000501686561740301000001036C696403010000000B61726368697465637475720401000102000468656174040100010200056B6574746C040100010400036C696404010001050004736875740301000000037468650401000102000677686973746C03010000');
INSERT INTO unsealed (seq, memory, document, words) VALUES (2, 2, X'020000000000000082420FBB9E0100000100000001000000010000002F000000', X'0001320301000000016104010001020004626F696C0301000000056B6574746C040100010200026F6604010001020005737465616D0401000114000474696D6503010000000677686973746C040100011401056F7264636103010000');
INSERT INTO kinds (num, type, scope) VALUES (1, 'fact', 'project');
INSERT INTO index_state (changes) VALUES (1);
INSERT INTO relations (num, id, source, target, verb, status, strength, reason, evidence, confidence, actor, actor_kind, model, session_id, created_at, updated_at, removed_at) VALUES (1, 'rel-1', 1, 2, 'relates_to', 'judged', 0.0, '', '', 0.0, '', '', '', '', 1781254800000, 1781254800000, NULL);
INSERT INTO prompts (num, sync_id, project, session, created_at, deleted_at, content) VALUES (1, 'prompt-1', 1, 1, 1781254800000, NULL, 'why is it boiling over?');
DELETE FROM prompts_fts_data;
INSERT INTO prompts_fts_data (id, block) VALUES (1, X'010501');
INSERT INTO prompts_fts_data (id, block) VALUES (10, X'00000000FF00000101010100010101010101000001');
INSERT INTO prompts_fts_data (id, block) VALUES (137438953473, X'000000360530626F696C0102050102697301020302017401020401046F76657201020601037768790102020104C2B770310106010102040907060908');
DELETE FROM prompts_fts_idx;
INSERT INTO prompts_fts_idx (segid, term, pgno) VALUES (1, X'', 2);
DELETE FROM prompts_fts_docsize;
INSERT INTO prompts_fts_docsize (id, sz, origin) VALUES (1, X'0501', 1);
DELETE FROM prompts_fts_config;
INSERT INTO prompts_fts_config (k, v) VALUES ('version', 4);
INSERT INTO mutations (seq, op, at, device, actor, verb, entity, key, project, reason, was, undoes) VALUES (1, 1, 116736314572800000, NULL, 'cli', 'save', 'memory', 1, 1, NULL, NULL, NULL);
INSERT INTO mutations (seq, op, at, device, actor, verb, entity, key, project, reason, was, undoes) VALUES (2, 2, 116736314572800001, NULL, 'cli', 'update', 'memory', 1, 1, NULL, NULL, NULL);
INSERT INTO mutations (seq, op, at, device, actor, verb, entity, key, project, reason, was, undoes) VALUES (3, 3, 116736314572800002, NULL, 'cli', 'forget', 'memory', 1, 1, NULL, '{"deleted_at":null}', NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 3);
INSERT INTO sqlite_sequence (name, seq) VALUES ('kinds', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('relations', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('prompts', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('mutations', 3);
INSERT INTO sqlite_sequence (name, seq) VALUES ('unsealed', 2);
CREATE INDEX projects_decay ON projects (num) WHERE decay IS NOT NULL;
CREATE INDEX project_aliases_project ON project_aliases (project);
CREATE INDEX sessions_project_active ON sessions (project, active_at DESC, num DESC);
CREATE INDEX sessions_active ON sessions (active_at DESC, num DESC);
CREATE INDEX memories_recent ON memories (created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_project_recent ON memories (project, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_forgotten ON memories (deleted_at DESC, num DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_session ON memories (session, num) WHERE deleted_at IS NULL;
CREATE INDEX memories_session_forgotten ON memories (session) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX memories_topic ON memories (topic_key, project, scope) WHERE topic_key IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX memories_review ON memories (review_after) WHERE review_after IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX memories_lasting ON memories (project, permanent DESC, importance DESC, num DESC)
	WHERE deleted_at IS NULL AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
CREATE INDEX memories_beyond ON memories (scope, permanent DESC, importance DESC, num DESC)
	WHERE deleted_at IS NULL AND scope <> 'project' AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
CREATE INDEX memories_hash ON memories (substr(hash, 1, 8));
CREATE INDEX memories_title ON memories (project, substr(title, 1, 12) || substr(title, -12)) WHERE deleted_at IS NULL;
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
CREATE INDEX tags_tag ON tags (tag, memory);
CREATE UNIQUE INDEX revisions_memory ON revisions (memory, number);
CREATE UNIQUE INDEX relations_live ON relations (source, target, verb) WHERE removed_at IS NULL;
CREATE INDEX relations_source ON relations (source, verb, removed_at);
CREATE INDEX relations_target ON relations (target, verb, removed_at);
CREATE INDEX relations_judgments ON relations (removed_at) WHERE removed_at IS NULL
	AND (verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict')
			OR verb = 'relates_to' AND confidence > 0);
CREATE INDEX prompts_recent ON prompts (created_at DESC, num DESC, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project_recent ON prompts (project, created_at DESC, num DESC, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project ON prompts (project) WHERE deleted_at IS NOT NULL;
CREATE INDEX prompts_session ON prompts (session, num);
CREATE INDEX anchors_memory ON anchors (memory);
CREATE INDEX anchors_seen ON anchors (memory) WHERE seen IS NOT NULL;
CREATE INDEX trust_suspect ON trust (at, memory) WHERE mark = 'suspect';
CREATE INDEX trust_secret ON trust (memory) WHERE mark = 'secret';
CREATE TRIGGER models_uncovered AFTER DELETE ON vectors BEGIN
	UPDATE models SET memories = memories - 1 WHERE num = old.model;
END;
CREATE TRIGGER vectors_replace AFTER UPDATE OF title, content, deleted_at ON memories
	WHEN old.title <> new.title OR old.content <> new.content OR new.deleted_at IS NOT NULL BEGIN
	DELETE FROM vectors WHERE memory = new.num AND model IN (SELECT num FROM models);
END;
CREATE TRIGGER vectors_erase AFTER DELETE ON memories BEGIN
	DELETE FROM vectors WHERE memory = old.num AND model IN (SELECT num FROM models);
END;
CREATE INDEX mutations_undoes ON mutations (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX mutations_key ON mutations (key, entity);
CREATE INDEX mutations_project ON mutations (seq) WHERE entity = 'project';
CREATE INDEX uses_session ON uses (session, memory);
CREATE INDEX uses_memory ON uses (memory);
CREATE INDEX uses_asked ON uses (memory, at) WHERE verb NOT IN ('context', 'remind');
CREATE INDEX lineages_held ON lineages (entity, key) WHERE held IS NOT NULL;
CREATE INDEX lineages_topics ON lineages (entity, held ->> 'topic_key', key) WHERE instr(held, '"topic_key"');
CREATE INDEX lineages_moved ON lineages (entity, key) WHERE instr(more, '"project"') OR instr(more, '"scope"');
PRAGMA application_id = 1162757970;
PRAGMA user_version = 1;
