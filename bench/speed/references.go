package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	_ "modernc.org/sqlite"

	"github.com/alanbuscaglia/engram/bench/speed/replay"
)

// Names of the references, as the table has them.
const (
	refBleve  = "bleve"               // top 10 ids by BM25 of English words, any of them: an index in Go without vectors
	refFTS5   = "FTS5"                // the same with the texts; saves are an insert and a commit with a full sync
	refRow    = "row"                 // insert and commit of a plain row
	refHello  = "Go"                  // a process that says hello
	refLinked = "Go with SQLite"      // the same with SQLite linked in; with a store it reads one row
	refBare   = "its bare statements" // a process of Go that runs the same statements of SQLite, reads the same rows, and does nothing with them
	refSave   = "bare statements"     // the statements of a save over HTTP, with commits one after the other, and nothing else
	refCopy   = "its rows copied"     // the rows of an import, copied by SQLite into the same tables and indexes
	refBatch  = "rows with FTS5"      // a row and its entry in FTS5, a thousand a transaction
)

// batch is how many documents an index takes at once.
const batch = 1000

// bleveOf opens bleve's index of the corpus's first documents.
func bleveOf(s stores, size int) (bleve.Index, error) {
	dir, err := s.kept(fmt.Sprintf("bleve-%d", size), func(dir string) error {
		index, err := bleve.New(filepath.Join(dir, "index"), bleveMapping())
		if err != nil {
			return err
		}
		for from := 0; from < size; from += batch {
			b := index.NewBatch()
			for n := from; n < min(from+batch, size); n++ {
				d := documentOf(n)
				if err := b.Index(strconv.Itoa(n), map[string]string{"text": d.title + " " + d.content, "project": d.project}); err != nil {
					return err
				}
			}
			if err := index.Batch(b); err != nil {
				return err
			}
		}
		return errors.Join(merge(index), index.Close())
	})
	if err != nil {
		return nil, err
	}
	// Without writing it does nothing in the background, which would count for whichever lane runs.
	return bleve.OpenUsing(filepath.Join(dir, "index"), map[string]any{"read_only": true})
}

// merge does at once the merges that an index would do by itself with time.
func merge(index bleve.Index) error {
	inner, err := index.Advanced()
	if err != nil {
		return err
	}
	scorch, ok := inner.(interface {
		ForceMerge(context.Context, *mergeplan.MergePlanOptions) error
	})
	if !ok {
		return fmt.Errorf("bleve's index is a %T, which does not merge", inner)
	}
	return scorch.ForceMerge(context.Background(), &mergeplan.DefaultMergePlanOptions)
}

func bleveMapping() mapping.IndexMapping {
	text, project := bleve.NewTextFieldMapping(), bleve.NewKeywordFieldMapping()
	text.Analyzer = "en"
	text.Store, text.IncludeTermVectors, text.IncludeInAll = false, false, false
	project.Store, project.IncludeInAll = false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", text)
	doc.AddFieldMappingsAt("project", project)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	return m
}

// bleveLane asks bleve for ten ids.
func bleveLane(index bleve.Index, ask func(i int) (question, project string)) lane {
	return lane{name: refBleve, cpu: ownCPU, do: func(i int) error {
		text, project := ask(i)
		match := bleve.NewMatchQuery(text)
		match.SetField("text")
		var q query.Query = match
		if project != "" {
			within := bleve.NewTermQuery(project)
			within.SetField("project")
			within.SetBoost(0)
			q = bleve.NewConjunctionQuery(match, within)
		}
		found, err := index.Search(bleve.NewSearchRequestOptions(q, 10, 0, false))
		if err == nil && len(found.Hits) == 0 {
			err = fmt.Errorf("bleve finds nothing for %q", text)
		}
		return err
	}}
}

// tablesOf opens a copy of a database with the corpus's first documents, in an FTS5 index and in a plain table.
func tablesOf(s stores, size int, work string) (*sql.DB, error) {
	const name = "tables.db"
	dir, err := s.kept(fmt.Sprintf("tables-%d", size), func(dir string) error {
		db, err := openTables(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		for from := 0; err == nil && from < size; from += batch {
			err = insertBatch(db, from, min(from+batch, size))
		}
		return errors.Join(err, db.Close())
	})
	if err != nil {
		return nil, err
	}
	if dir, err = copyOf(dir, work); err != nil {
		return nil, err
	}
	return openTables(filepath.Join(dir, name))
}

func openTables(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the pragmas are those of a connection
	_, err = db.Exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
		CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, content, project UNINDEXED, tokenize = 'porter unicode61');
		CREATE TABLE IF NOT EXISTS plain (id INTEGER PRIMARY KEY, title TEXT, content TEXT, project TEXT)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func insertBatch(db *sql.DB, from, to int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect after the commit
	for _, statement := range []string{insertWords, insertPlain} {
		insert, err := tx.Prepare(statement)
		if err != nil {
			return err
		}
		for n := from; n < to; n++ {
			d := documentOf(n)
			if _, err := insert.Exec(d.title, d.content, d.project); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

const (
	insertWords = `INSERT INTO words (title, content, project) VALUES (?, ?, ?)`
	insertPlain = `INSERT INTO plain (title, content, project) VALUES (?, ?, ?)`
)

// ftsLane asks FTS5 for ten memories by BM25.
func ftsLane(db *sql.DB, ask func(i int) (question, project string)) lane {
	return lane{name: refFTS5, cpu: ownCPU, few: 2, do: func(i int) error {
		text, project := ask(i)
		rows, err := db.Query(`SELECT rowid, title, content FROM words WHERE words MATCH ? AND (?2 = '' OR project = ?2) ORDER BY rank LIMIT 10`, anyWord(text), project)
		if err != nil {
			return err
		}
		defer rows.Close()
		found := 0
		for ; rows.Next(); found++ {
			var id int64
			var title, content string
			if err := rows.Scan(&id, &title, &content); err != nil {
				return err
			}
		}
		if found == 0 {
			return errors.Join(fmt.Errorf("FTS5 finds nothing for %q", text), rows.Err())
		}
		return rows.Err()
	}}
}

// anyWord writes a text as an FTS5 query for any of its words.
func anyWord(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return `"` + strings.Join(words, `" OR "`) + `"`
}

// insertLane inserts one row and commits.
func insertLane(db *sql.DB, name, statement string) lane {
	var numbers saved
	return lane{name: name, cpu: ownCPU, do: func(int) error {
		d := numbers.next()
		_, err := db.Exec(statement, d.title, d.content, d.project)
		return err
	}}
}

// batchLane inserts the first documents into a new database, a thousand a transaction, with one operation.
func batchLane(documents int, work string) lane {
	made := 0
	return lane{name: refBatch, cpu: ownCPU, do: func(int) error {
		made++
		db, err := openTables(filepath.Join(work, fmt.Sprintf("batch-%d.db", made)))
		if err != nil {
			return err
		}
		for from := 0; err == nil && from < documents; from += batch {
			err = insertBatch(db, from, min(from+batch, documents))
		}
		return errors.Join(err, db.Close())
	}}
}

// copyLane copies the rows of a store into a new one with one operation, in one transaction as an import has.
func copyLane(store, work string) lane {
	return lane{name: refCopy, cpu: ownCPU, do: func(int) error {
		dir, err := os.MkdirTemp(work, "copy-")
		if err != nil {
			return err
		}
		db, err := sql.Open("sqlite", filepath.Join(dir, "engram.db"))
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		return errors.Join(copyRows(db, filepath.Join(store, "engram.db")), db.Close())
	}}
}

func copyRows(db *sql.DB, from string) error {
	const all = `SELECT type, name, sql FROM origin.sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'index')
		AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'prompts_fts%' ORDER BY type DESC`
	if _, err := db.Exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; ATTACH ? AS origin`, from); err != nil {
		return err
	}
	rows, err := db.Query(all)
	if err != nil {
		return err
	}
	defer rows.Close()
	var making, filling []string
	for rows.Next() {
		var kind, name, statement string
		if err := rows.Scan(&kind, &name, &statement); err != nil {
			return err
		}
		making = append(making, statement)
		if kind == "table" { // with a condition SQLite inserts rows, instead of copying whole pages
			filling = append(filling, fmt.Sprintf("INSERT INTO %q SELECT * FROM origin.%q WHERE true", name, name))
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	// Statements of the schema may end in a comment.
	_, err = db.Exec("BEGIN;\n" + strings.Join(making, "\n;\n") + "\n;\n" + strings.Join(filling, ";\n") + ";\nCOMMIT")
	return err
}

// beside installs a reference program, which stands beside this one, to work.
func beside(program, work string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return installed(filepath.Join(filepath.Dir(self), program), filepath.Join(work, program))
}

// programs returns a function that makes a lane of a reference program.
func programs(work string) func(name, program string, args ...string) lane {
	return func(name, program string, args ...string) lane {
		path, failed := beside(program, work)
		return processes(name, func(int) (time.Duration, error) {
			if failed != nil {
				return 0, failed
			}
			_, took, err := output(exec.Command(path, args...), "")
			return took, err
		})
	}
}

// bare is a lane of the statements alone that run makes a build run: the recorder runs it on a store of its own, which is not
// counted, and then its statements run on another store, which has met all statements before them.
func (b *bench) bare(run func(e build, dir string, i int) (time.Duration, error)) lane {
	replayed := b.programs(refBare, "bare", filepath.Join(b.recorded, replay.Name), filepath.Join(b.replayed, "engram.db"))
	recorder := build{name: refBare, binary: filepath.Join(filepath.Dir(b.self), "record")}
	do := replayed.do
	replayed.do = func(i int) error {
		if _, err := run(recorder, b.recorded, i); err != nil {
			return err
		}
		return do(i)
	}
	return replayed
}
