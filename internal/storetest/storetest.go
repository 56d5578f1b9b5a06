// Package storetest holds the contract of engram.Store as a test suite (Run), and generated memories for
// benchmarks of stores (Corpus).
//
// The tests use only the interface, and check what the doc comments of engram.Store and its roles
// promise. Each store tests its own implementation (files, query plans, many processes) beside its code.
package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Run tests the stores that open returns, a new and empty one per call. The tests close them, and may
// run under the race detector. Cases in without, "part/name", are those that a store under construction does not
// fulfil yet; a name without a case fails.
func Run(t *testing.T, open func(t *testing.T) engram.Store, without ...string) {
	t.Helper()
	left := map[string]bool{}
	for _, name := range without {
		left[name] = true
	}
	for _, part := range []struct {
		name  string
		cases []testCase
	}{
		{"memory", memoryCases()},
		{"round trip", roundTripCases()},
		{"topic", topicCases()},
		{"anchor", anchorCases()},
		{"list", listCases()},
		{"lexical", lexicalCases()},
		{"parts of a score", partCases()},
		{"neighbours", besideCases()},
		{"hostile words", hostileCases()},
		{"vector", vectorCases()},
		{"newest vectors", newestVectorCases()},
		{"exposure", exposureCases()},
		{"counter", counterCases()},
		{"group", groupCases()},
		{"outline", vitalCases()},
		{"history", historyCases()},
		{"relation", relationCases()},
		{"relation writes", relationWriteCases()},
		{"session", sessionCases()},
		{"prompt", promptCases()},
		{"project", projectCases()},
		{"move", moveCases()},
		{"journal", journalCases()},
		{"erase", eraseCases()},
		{"snapshot", snapshotCases()},
		{"causal metadata", causalCases()},
		{"replicated", replicatedCases()},
		{"reported", reportedCases()},
		{"trust", trustCases()},
		{"transaction", transactionCases()},
		{"concurrency", concurrentCases()},
	} {
		t.Run(part.name, func(t *testing.T) {
			for _, c := range part.cases {
				if name := part.name + "/" + c.name; left[name] {
					delete(left, name)
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					k := &kit{T: t, store: open(t)}
					// Close may be called twice, so tests may close the store too.
					t.Cleanup(func() { _ = k.store.Close() })
					c.run(k)
				})
			}
		})
	}
	for name := range left {
		t.Errorf("there is no case %q", name)
	}
}

// testCase is one statement of the contract.
type testCase struct {
	name string
	run  func(k *kit)
}

// kit is the state of one test: a store, empty at first, and the number of drafts made.
type kit struct {
	*testing.T
	store engram.Store
	made  int
}

// at returns the n-th second of the tests' day.
func at(n int) time.Time {
	return time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
}

// update runs fn, which must succeed.
func (k *kit) update(fn func(engram.Tx) error) {
	k.Helper()
	if err := k.store.Update(k.Context(), fn); err != nil {
		k.Fatalf("update: %v", err)
	}
}

// view runs fn, which must succeed.
func (k *kit) view(fn func(engram.Reader) error) {
	k.Helper()
	if err := k.store.View(k.Context(), fn); err != nil {
		k.Fatalf("view: %v", err)
	}
}

// refused runs fn in an Update, which must fail with code.
func (k *kit) refused(what string, code engram.Code, fn func(engram.Tx) error) {
	k.Helper()
	err := k.store.Update(k.Context(), fn)
	if got := engram.CodeOf(err); got != code {
		k.Errorf("%s: got code %q (%v), want %q", what, got, err, code)
	}
}

// read0 to read4 call one method of engram.Reader or engram.ReplicaReader, such as engram.Reader.List, with
// that many arguments, in a View of their own, which must succeed.
func read0[R, T any](k *kit, read func(R, context.Context) (T, error)) (got T) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		role, is := any(r).(R)
		if replica, does := any(r.Replica()).(R); !is && does {
			role = replica
		}
		got, err = read(role, k.Context())
		return err
	})
	return got
}

func readAll[R, A, T any](k *kit, read func(R, context.Context, ...A) (T, error), as ...A) T {
	k.Helper()
	return read0(k, func(r R, ctx context.Context) (T, error) { return read(r, ctx, as...) })
}

func read1[R, A, T any](k *kit, read func(R, context.Context, A) (T, error), a A) T {
	k.Helper()
	return read0(k, func(r R, ctx context.Context) (T, error) { return read(r, ctx, a) })
}

func read2[R, A, B, T any](k *kit, read func(R, context.Context, A, B) (T, error), a A, b B) T {
	k.Helper()
	return read0(k, func(r R, ctx context.Context) (T, error) { return read(r, ctx, a, b) })
}

func read3[R, A, B, C, T any](k *kit, read func(R, context.Context, A, B, C) (T, error), a A, b B, c C) T {
	k.Helper()
	return read0(k, func(r R, ctx context.Context) (T, error) { return read(r, ctx, a, b, c) })
}

func read4[R, A, B, C, D, T any](k *kit, read func(R, context.Context, A, B, C, D) (T, error), a A, b B, c C, d D) T {
	k.Helper()
	return read0(k, func(r R, ctx context.Context) (T, error) { return read(r, ctx, a, b, c, d) })
}

// look runs a read with two results, such as a thing and whether it was found, in a View of its own,
// which must succeed.
func look[T, U any](k *kit, ask func(engram.Reader) (T, U, error)) (got T, also U) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		got, also, err = ask(r)
		return err
	})
	return got, also
}

// failing checks that reading with a fails with code.
func failing[R, A, T any](k *kit, code engram.Code, read func(R, context.Context, A) (T, error), a A) {
	k.Helper()
	_ = k.store.View(k.Context(), func(r engram.Reader) error {
		_, err := read(any(r).(R), k.Context(), a)
		k.same(fmt.Sprintf("code of reading %+v", a), engram.CodeOf(err), code)
		return err
	})
}

// batch calls one method of engram.Tx with all xs, in one Update, which must succeed.
func batch[X any](k *kit, write func(engram.Tx, context.Context, ...X) error, xs ...X) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return write(tx, k.Context(), xs...) })
}

// each calls one method of engram.Tx or engram.ReplicaTx for each of xs, in one Update, which must succeed.
func each[W, X any](k *kit, write func(W, context.Context, X) error, xs ...X) {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		role, is := any(tx).(W)
		if replica, does := any(tx.ReplicaTx()).(W); !is && does {
			role = replica
		}
		for _, x := range xs {
			if err := write(role, k.Context(), x); err != nil {
				return err
			}
		}
		return nil
	})
}

// draft is a valid, unsaved memory that differs from all other drafts.
func (k *kit) draft(change ...func(*engram.Memory)) engram.Memory {
	k.made++
	m := engram.Memory{
		ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, k.made)), SyncID: fmt.Sprintf("obs-%016x", k.made),
		Project: "app", SessionID: "s-app", Scope: engram.ScopeProject, Type: engram.TypeManual, Origin: engram.OriginAgent,
		Title: fmt.Sprintf("title %d", k.made), Content: fmt.Sprintf("content %d", k.made),
		Importance: engram.DefaultImportance, Strength: 1,
		TouchedAt: at(k.made), CreatedAt: at(k.made), UpdatedAt: at(k.made),
		RevisionCount: 1, DuplicateCount: 1, NormalizedHash: fmt.Sprintf("%064x", k.made),
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

// Changes of a draft: in moves it to the session "s-PROJECT" of a project, within to another session of
// its project.
func in(project string) func(*engram.Memory) {
	return func(m *engram.Memory) { m.Project, m.SessionID = project, "s-"+project }
}

func within(session string) func(*engram.Memory) {
	return func(m *engram.Memory) { m.SessionID = session }
}

func titled(title string) func(*engram.Memory) {
	return func(m *engram.Memory) { m.Title = title }
}

func typed(t engram.Type) func(*engram.Memory) { return func(m *engram.Memory) { m.Type = t } }

func scoped(s engram.Scope) func(*engram.Memory) { return func(m *engram.Memory) { m.Scope = s } }

func topic(key string) func(*engram.Memory) { return func(m *engram.Memory) { m.TopicKey = key } }

// save writes a draft, creating its project and session if needed.
func (k *kit) save(change ...func(*engram.Memory)) engram.Memory {
	k.Helper()
	m := k.draft(change...)
	k.update(func(tx engram.Tx) error {
		if err := k.ensure(tx, m.Project, m.SessionID); err != nil {
			return err
		}
		return tx.InsertMemory(k.Context(), &m)
	})
	return m
}

// saveMany saves n drafts, the i-th changed by change, and returns them in order.
func (k *kit) saveMany(n int, change func(i int, m *engram.Memory)) (ms []engram.Memory) {
	k.Helper()
	for i := range n {
		ms = append(ms, k.save(func(m *engram.Memory) { change(i, m) }))
	}
	return ms
}

// ensure creates the project and the session if needed.
func (k *kit) ensure(tx engram.Tx, project, session string) error {
	_, found, err := tx.Project(k.Context(), project)
	if project != "" && err == nil && !found {
		err = tx.PutProject(k.Context(), engram.Project{Name: project, CreatedAt: at(0)})
	}
	if session == "" || err != nil {
		return err
	}
	if _, err = tx.Session(k.Context(), session); engram.CodeOf(err) != engram.CodeNotFound {
		return err
	}
	return tx.PutSession(k.Context(), engram.Session{ID: session, Project: project, StartedAt: at(0), ActiveAt: at(0)})
}

// session creates the project and the session if needed.
func (k *kit) session(project, session string) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return k.ensure(tx, project, session) })
}

// replace writes m over the memory with its number.
func (k *kit) replace(m engram.Memory, change func(*engram.Memory)) engram.Memory {
	k.Helper()
	change(&m)
	each(k, engram.Tx.ReplaceMemory, m)
	return m
}

func (k *kit) erase(m engram.Memory) {
	k.Helper()
	each(k, engram.Tx.EraseMemory, m.Num)
}

// forget forgets m, n seconds into the day.
func (k *kit) forget(m engram.Memory, n int) engram.Memory {
	k.Helper()
	return k.replace(m, func(m *engram.Memory) { m.DeletedAt = at(n) })
}

// read returns the memory that ref names.
func (k *kit) read(ref engram.Ref) engram.Memory {
	k.Helper()
	return read1(k, engram.Reader.Memory, ref)
}

// list returns the memories that pass f.
func (k *kit) list(f engram.Filter) []engram.Memory {
	k.Helper()
	return read2(k, engram.Reader.List, f, engram.Page{Limit: 1000})
}

// find searches the lexical channel as the engine does.
func (k *kit) find(question string, change ...func(*engram.LexicalQuery)) []engram.Ranked {
	k.Helper()
	return k.lexical(question, change...).Hits
}

// same fails the test if got and want print differently; what says what was read.
func (k *kit) same(what string, got, want any) {
	k.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		k.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}

// sameMemory fails the test if got and want differ in a field; the order of tags does not count.
func (k *kit) sameMemory(what string, got, want engram.Memory) {
	k.Helper()
	got.Tags, want.Tags = slices.Sorted(slices.Values(got.Tags)), slices.Sorted(slices.Values(want.Tags))
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			k.Errorf("%s: field %s\n got %s\nwant %s", what, g.Type().Field(i).Name, short(g.Field(i)), short(w.Field(i)))
		}
	}
}

func short(v reflect.Value) string {
	const most = 300
	if s := fmt.Sprintf("%#v", v.Interface()); len(s) <= most {
		return s
	}
	return fmt.Sprintf("%.*s… (%d)", most, fmt.Sprintf("%#v", v.Interface()), v.Len())
}

// titles joins the titles of ms, in order.
func titles(ms []engram.Memory) string {
	return strings.Join(every(ms, func(m engram.Memory) string { return m.Title }), ", ")
}

// nums returns the numbers of ms, in order.
func nums(ms []engram.Memory) []int64 {
	return every(ms, func(m engram.Memory) int64 { return m.Num })
}

// numsOf returns the numbers of a ranking, in order.
func numsOf(found []engram.Ranked) []int64 {
	return every(found, func(f engram.Ranked) int64 { return f.Num })
}

// every maps of over xs.
func every[X, V any](xs []X, of func(X) V) []V {
	all := make([]V, len(xs))
	for i, x := range xs {
		all[i] = of(x)
	}
	return all
}
