package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
)

// ownProject has memories that were saved here; those of the corpus came by import, which context judges otherwise.
const (
	ownProject  = "own"
	ownMemories = 400
)

// warmUp is how many requests warm a server up: the first hundreds also pay for memory that it uses from then on.
const warmUp = 300

// A bench measures builds and references.
type bench struct {
	stores
	builds   []build // the first is the one to measure
	work     string  // folder of what is removed at the end
	rounds   int
	only     *regexp.Regexp
	alone    bool // without references, which then are not made either
	programs func(name, program string, args ...string) lane
	results  []result

	self               string // this program, beside which the reference programs stand
	recorded, replayed string // stores of the lanes of bare statements
}

// add runs an operation, unless it is left out, and keeps its result.
func (b *bench) add(o operation) error {
	if !b.only.MatchString(o.name) {
		return nil
	}
	if b.alone {
		o.lanes = slices.DeleteFunc(o.lanes, func(l lane) bool {
			return !slices.ContainsFunc(b.builds, func(e build) bool { return e.name == l.name })
		})
	}
	if o.rounds == 0 {
		o.rounds = b.rounds
	}
	begun := time.Now()
	res, err := o.run()
	if err != nil {
		return err
	}
	b.results = append(b.results, res)
	b.report("%-28s %9d", o.name, o.size)
	for _, l := range o.lanes {
		cost, _ := res.cost(l.name)
		b.report("  %s %s", l.name, figure(cost))
	}
	b.report("  (%.0f s)\n", time.Since(begun).Seconds())
	return nil
}

// wanted reports whether any of the operations is to be run: what they need may take long to make.
func (b *bench) wanted(names ...string) bool {
	for _, n := range names {
		if b.only.MatchString(n) {
			return true
		}
	}
	return false
}

// starts measures what needs no memories.
func (b *bench) starts(ctx context.Context) error {
	var lanes []lane
	for _, build := range b.builds {
		lanes = append(lanes, processes(build.name, func(int) (time.Duration, error) {
			_, took, err := output(build.command(ctx, b.work, "version"), "")
			return took, err
		}))
	}
	lanes = append(lanes, b.programs(refLinked, "linked"), b.programs(refHello, "hello"))
	return b.add(operation{name: opVersion, per: 5, lanes: lanes})
}

// at measures everything on stores of a size.
func (b *bench) at(ctx context.Context, size int) (err error) {
	if !b.wanted(opQuestion, opProject, opCommon, opSave, opWriters, opInTurn, opOwn, opImported, opStart, opPrompt, opCold, opTools, opAsk) {
		return nil
	}
	var dirs []string
	var store string
	defer func() {
		for _, dir := range dirs { // a million memories have gigabytes
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	for _, build := range slices.Backward(b.builds) { // the last store is that of the first build, which the recorder is of
		if store, err = b.of(ctx, build, size); err != nil {
			return err
		}
		dir, err := copyOf(store, b.work)
		if err != nil {
			return err
		}
		dirs = slices.Insert(dirs, 0, dir)
	}
	if !b.alone && b.wanted(opCold, opStart, opPrompt) {
		for _, to := range []*string{&b.recorded, &b.replayed} {
			if *to, err = copyOf(store, b.work); err != nil {
				return err
			}
			dirs = append(dirs, *to)
		}
	}
	if err := b.cold(ctx, size, dirs); err != nil {
		return err
	}
	var bare string
	if !b.alone && b.wanted(opSave, opWriters, opInTurn) {
		if bare, err = copyOf(store, b.work); err != nil {
			return err
		}
		dirs = append(dirs, bare)
	}
	return b.served(ctx, size, dirs[:len(b.builds)], bare)
}

// cold measures processes that begin and end: no server has the store.
func (b *bench) cold(ctx context.Context, size int, dirs []string) error {
	lanes := func(run func(b build, dir string, i int) (time.Duration, error)) []lane {
		var all []lane
		for k, build := range b.builds {
			all = append(all, processes(build.name, func(i int) (time.Duration, error) { return run(build, dirs[k], i) }))
		}
		return append(all, b.programs(refLinked, "linked", filepath.Join(dirs[0], "engram.db")))
	}
	search := func(e build, dir string, i int) (time.Duration, error) { return e.search(ctx, dir, i, size) }
	err := b.add(operation{name: opCold, size: size, per: 3, lanes: append(lanes(search), b.bare(search))})
	if err != nil {
		return err
	}
	err = b.add(operation{name: opTools, size: size, per: 3, lanes: lanes(func(e build, dir string, _ int) (time.Duration, error) { return e.listTools(ctx, dir) })})
	if err != nil {
		return err
	}
	for _, event := range []struct{ name, event string }{{opStart, "session-start"}, {opPrompt, "prompt"}} {
		silent, asks := 0, 0
		run := func(e build, dir string, i int) (time.Duration, error) {
			told, took, err := b.hook(ctx, e, dir, event.event, i, size)
			if asks++; told == "" {
				silent++
			}
			return took, err
		}
		err = b.add(operation{name: event.name, size: size, per: 3, lanes: append(lanes(run), b.bare(run))})
		if err != nil {
			return err
		}
		if silent > 0 {
			b.report("%s at %d: %d of %d said nothing\n", event.name, size, silent, asks)
		}
	}
	return nil
}

// hook passes an event to a hook, in the folder of the project of document i's question. Session starts are each of a new
// session; prompts go on in one session of each project.
func (b *bench) hook(ctx context.Context, e build, dir, event string, i, size int) (string, time.Duration, error) {
	project := asked(i, size).project
	folder := filepath.Join(b.work, "src", project)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", 0, err
	}
	in := map[string]string{"session_id": fmt.Sprintf("%s-%d", e.name, i), "cwd": folder, "source": "startup"}
	if event == "prompt" {
		in["session_id"], in["prompt"] = e.name+"-"+project, question(i, size)
	}
	text, err := json.Marshal(in)
	if err != nil {
		return "", 0, err
	}
	cmd := e.command(ctx, dir, "hook", "claude-code", event)
	// On a busy machine the time of a hook runs out before its work is done, which would look cheap.
	cmd.Env = append(cmd.Env, "ENGRAM_HOOK_WITHIN=10000")
	return output(cmd, string(text))
}

// served measures what a server answers. bare is a store for the reference of saves; "" if it is not measured.
func (b *bench) served(ctx context.Context, size int, dirs []string, bare string) (err error) {
	var servers []*server
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.stop())
		}
	}()
	for k, build := range b.builds {
		s, err := build.serve(ctx, dirs[k])
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	lanes := func(do func(s *server, i int) error) []lane {
		var all []lane
		for _, s := range servers {
			all = append(all, s.lane(do))
		}
		return all
	}
	var tables *sql.DB
	if !b.alone && b.wanted(opQuestion, opProject, opCommon, opSave) {
		if tables, err = tablesOf(b.stores, size, b.work); err != nil {
			return err
		}
		defer tables.Close()
	}
	if err := b.searches(size, lanes, tables, dirs[0]); err != nil {
		return err
	}
	if err := b.resident(size, servers); err != nil {
		return err
	}
	if err := b.asking(ctx, size, dirs); err != nil {
		return err
	}
	if err := b.contexts(size, servers, lanes); err != nil {
		return err
	}
	if bare != "" {
		program, err := beside("save", b.work)
		if err != nil {
			return err
		}
		s, err := build{refSave, program}.serve(ctx, bare)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	return b.saves(size, servers, tables)
}

// mostFTS5 is the largest number of memories that FTS5 searches: a question takes it half a second there.
const mostFTS5 = 100_000

func (b *bench) searches(size int, lanes func(func(s *server, i int) error) []lane, tables *sql.DB, store string) error {
	if !b.wanted(opQuestion, opProject, opCommon) {
		return nil
	}
	var index bleve.Index
	var least *floor
	if !b.alone {
		var err error
		if index, err = bleveOf(b.stores, size); err != nil {
			return err
		}
		defer index.Close()
		if size <= mostFTS5 { // its lists are in memory
			if least, err = floorOf(store, size); err != nil {
				return err
			}
			defer least.db.Close()
		}
	}
	for _, kind := range []struct {
		name string
		ask  func(i int) (question, project string)
	}{
		{opQuestion, func(i int) (string, string) { return question(i, size), "" }},
		{opProject, func(i int) (string, string) { return question(i, size), asked(i, size).project }},
		{opCommon, func(i int) (string, string) { return asked(i, size).subject[0], "" }},
	} {
		all := lanes(func(s *server, i int) error {
			_, err := s.search(kind.ask(i))
			return err
		})
		all = append(all, bleveLane(index, kind.ask))
		if size <= mostFTS5 {
			all = append(all, ftsLane(tables, kind.ask), least.lane(kind.name != opProject, kind.name == opCommon))
		}
		if err := b.add(operation{name: kind.name, size: size, per: 10, warm: warmUp, lanes: all}); err != nil {
			return err
		}
	}
	return nil
}

// asking measures the command that searches where a server has the store.
func (b *bench) asking(ctx context.Context, size int, dirs []string) error {
	var all []lane
	for k, e := range b.builds {
		all = append(all, processes(e.name, func(i int) (time.Duration, error) { return e.search(ctx, dirs[k], i, size) }))
	}
	return b.add(operation{name: opAsk, size: size, per: 3, lanes: append(all, b.programs(refLinked, "linked"))})
}

// resident notes the memory of servers that have searched.
func (b *bench) resident(size int, servers []*server) error {
	if !b.wanted(opQuestion) {
		return nil
	}
	now, most := result{name: opResident, size: size, lanes: map[string][]sample{}}, result{name: opPeak, size: size, lanes: map[string][]sample{}}
	for _, s := range servers {
		has, had, err := residentOf(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		now.lanes[s.name], most.lanes[s.name] = []sample{{cost: has}}, []sample{{cost: had}}
	}
	b.results = append(b.results, now, most)
	return nil
}

func (b *bench) contexts(size int, servers []*server, lanes func(func(s *server, i int) error) []lane) error {
	if !b.wanted(opOwn, opImported) {
		return nil
	}
	for _, s := range servers {
		var numbers saved
		for n := range ownMemories {
			session := fmt.Sprintf("%s-%d", ownProject, n/inSession)
			if n%inSession == 0 {
				if err := s.session(session, ownProject); err != nil {
					return err
				}
			}
			if err := s.save(numbers.next(), session, ownProject); err != nil {
				return err
			}
		}
	}
	measure := func(name string, project func(i int) string) error {
		return b.add(operation{name: name, size: size, per: 10, warm: warmUp, lanes: lanes(func(s *server, i int) error {
			_, err := s.get("/context", url.Values{"project": {project(i)}})
			return err
		})})
	}
	if err := measure(opOwn, func(int) string { return ownProject }); err != nil {
		return err
	}
	return measure(opImported, projectOf)
}

func (b *bench) saves(size int, servers []*server, tables *sql.DB) error {
	if !b.wanted(opSave, opWriters, opInTurn) {
		return nil
	}
	var all, inTurn []lane
	for _, s := range servers {
		for p := range projects {
			if err := s.session("saved-"+projectOf(p), projectOf(p)); err != nil {
				return err
			}
		}
		numbers := &saved{}
		numbers.Store(ownMemories)
		all = append(all, s.lane(func(s *server, i int) error {
			return s.save(numbers.next(), "saved-"+projectOf(i), projectOf(i))
		}))
		inTurn = append(inTurn, s.lane(func(s *server, i int) error {
			d := askedInARow(i, size)
			if err := s.save(numbers.next(), "saved-"+d.project, d.project); err != nil {
				return err
			}
			_, err := s.search(d.question(i), d.project)
			return err
		}))
	}
	if err := b.add(operation{name: opInTurn, size: size, per: 20, lanes: inTurn[:len(b.builds)]}); err != nil { // before there are more
		return err
	}
	if err := b.add(operation{name: opWriters, size: size, per: 80, writers: 8, lanes: all}); err != nil {
		return err
	}
	all = append(all, insertLane(tables, refFTS5, insertWords), insertLane(tables, refRow, insertPlain))
	return b.add(operation{name: opSave, size: size, per: 20, lanes: all})
}

// moves measures ingest and import of documents into empty stores.
func (b *bench) moves(ctx context.Context, documents int) error {
	if !b.wanted(opIngest, opImport) {
		return nil
	}
	export, lines := filepath.Join(b.work, "export.json"), filepath.Join(b.work, "documents.jsonl")
	if err := errors.Join(exportTo(export, corpus(0, documents)), linesTo(lines, documents)); err != nil {
		return err
	}
	imported, err := b.of(ctx, b.builds[0], documents)
	if err != nil {
		return err
	}
	for _, kind := range []struct{ name, verb, file string }{{opIngest, "ingest", lines}, {opImport, "import", export}} {
		lanes := []lane{batchLane(documents, b.work), copyLane(imported, b.work)}
		for _, e := range b.builds {
			lanes = append(lanes, processes(e.name, func(int) (time.Duration, error) {
				dir, err := os.MkdirTemp(b.work, "empty-")
				if err != nil {
					return 0, err
				}
				_, took, err := output(e.command(ctx, dir, kind.verb, kind.file), "")
				return took, errors.Join(err, os.RemoveAll(dir))
			}))
		}
		if err := b.add(operation{name: kind.name, size: documents, per: 1, rounds: 1, once: true, each: documents, lanes: lanes}); err != nil {
			return err
		}
	}
	return nil
}

// linesTo writes the first documents for engram ingest.
func linesTo(name string, documents int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for n := range documents {
		d := documentOf(n)
		if err := e.Encode(map[string]string{"title": d.title, "content": d.content, "type": d.typ, "project": d.project}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
