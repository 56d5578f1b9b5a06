package postgrestest_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestEquality calls every method of a transaction with the same arguments on a SQLite file and on a space, reads and
// writes in one order: both answer the same, with the same codes of errors, and end with the same.
func TestEquality(t *testing.T) {
	server := postgrestest.Start(t)
	file, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "engram.db"), Now: storetest.Day})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	space, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL(), Space: postgrestest.Space()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = space.Close() })
	var devices []string
	stores := []engram.Store{file, space}
	for _, s := range stores {
		if err := s.Update(t.Context(), func(tx engram.Tx) error {
			head, err := tx.Replica().Head(t.Context())
			devices = append(devices, head.Device)
			if err != nil {
				return err
			}
			return storetest.Fill(t.Context(), tx, "some text")
		}); err != nil {
			t.Fatalf("fill: %v", err)
		}
	}
	var called, refused int
	for range 2 { // again, after all the writes
		storetest.Methods(func(name string, of func(engram.Tx) reflect.Value) {
			var answers [2][]string
			for i, s := range stores {
				answers[i] = answersOf(t, s, name, of, devices[i])
			}
			for k, want := range answers[0] {
				if called++; strings.HasPrefix(want, "error ") {
					refused++
				}
				got := answers[1][k]
				if want == "error internal" && strings.HasPrefix(got, "error ") {
					continue // which SQLite gives without saying what it is
				}
				if got != want {
					t.Errorf("%s, call %d:\n got %.900s\nwant %.900s", name, k, got, want)
				}
			}
		})
	}
	if called < 1000 || refused == 0 {
		t.Errorf("%d calls, of which %d were refused", called, refused)
	}
	t.Logf("%d calls, of which %d were refused", called, refused)
}

// pointer matches an address.
var pointer = regexp.MustCompile(`\b0xc?[0-9a-f]{8,}\b`)

// answersOf calls one method with all its arguments, and returns what each call answered.
func answersOf(t *testing.T, s engram.Store, name string, of func(engram.Tx) reflect.Value, device string) (answers []string) {
	t.Helper()
	var seen []any
	var calls [][]reflect.Value
	for i := 0; calls == nil || i < len(calls); i++ {
		var answer string
		err := s.Update(t.Context(), func(tx engram.Tx) error {
			method := of(tx)
			if calls == nil {
				calls = storetest.Arguments(t, name, method.Type(), &seen)
			}
			seen = nil
			out := method.Call(append([]reflect.Value{reflect.ValueOf(t.Context())}, calls[i]...))
			for _, v := range out[:len(out)-1] {
				x := v.Interface()
				if stats, is := x.(engram.Stats); is {
					stats.Bytes = 0
					x = stats
				}
				deep, _ := json.Marshal(x) // what it leaves out is in the other
				answer += strings.ReplaceAll(pointer.ReplaceAllString(fmt.Sprintf(" %+v %s", x, deep), "…"), device, "DEVICE")
			}
			answer += fmt.Sprintf(" seen %+v", seen)
			err, _ := out[len(out)-1].Interface().(error)
			return err
		})
		if err != nil {
			answer = "error " + string(engram.CodeOf(err))
		}
		answers = append(answers, answer)
	}
	return answers
}
