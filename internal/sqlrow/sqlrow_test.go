package sqlrow_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// table is a Querier with rows of two columns.
type table [][2]string

func (t table) Rows(_ context.Context, _ string, _ []any, scan func(sqlrow.Scanner) error) error {
	for _, r := range t {
		if err := scan(row(r)); err != nil {
			if errors.Is(err, sqlrow.ErrStop) {
				return nil
			}
			return err
		}
	}
	return nil
}

type row [2]string

func (r row) Scan(into ...any) error {
	if len(into) > len(r) {
		return errors.New("too few columns")
	}
	for i := range into {
		*into[i].(*string) = r[i]
	}
	return nil
}

func TestRowsAreRead(t *testing.T) {
	q := table{{"a", "1"}, {"b", "2"}, {"c", "3"}}
	names, err := sqlrow.Column[string](t.Context(), q, "")
	if err != nil || strings.Join(names, "") != "abc" {
		t.Errorf("Column: got %v, %v", names, err)
	}
	pairs, err := sqlrow.Pairs[string, string](t.Context(), q, "")
	if err != nil || !reflect.DeepEqual(pairs, map[string]string{"a": "1", "b": "2", "c": "3"}) {
		t.Errorf("Pairs: got %v, %v", pairs, err)
	}
	var each []string
	if err := sqlrow.Each(t.Context(), q, "", func(s string) { each = append(each, s) }); err != nil || !slices.Equal(each, names) {
		t.Errorf("Each: got %v, %v", each, err)
	}
	first, found, err := sqlrow.First(names, nil)
	if err != nil || !found || first != "a" {
		t.Errorf("First: got %q, %v, %v", first, found, err)
	}
	if _, found, err = sqlrow.First([]string(nil), nil); err != nil || found {
		t.Errorf("First of none: got %v, %v", found, err)
	}
	broken := errors.New("broken")
	all, err := sqlrow.List(t.Context(), q, "read letters", "", nil, func(sqlrow.Scanner) (string, error) { return "x", broken })
	if all != nil || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read letters: ") {
		t.Errorf("List that fails: got %v, %v", all, err)
	}
	all, err = sqlrow.List(t.Context(), q, "", "", nil, func(s sqlrow.Scanner) (string, error) {
		v, err := sqlrow.One[string](s)
		if v == "b" {
			err = sqlrow.ErrStop
		}
		return v, err
	})
	if err != nil || strings.Join(all, "") != "ab" {
		t.Errorf("List that stops: got %v, %v", all, err)
	}
}

func TestColumnValues(t *testing.T) {
	empty, err := sqlrow.JSONOrNull([]string{}, 0)
	some, err2 := sqlrow.JSONOrNull([]string{"a"}, 1)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"no time", sqlrow.Millis(time.Time{}), nil}, {"a time", sqlrow.Millis(time.UnixMilli(7)), int64(7)},
		{"no text", sqlrow.OrNull(""), nil}, {"a text", sqlrow.OrNull("a"), "a"},
		{"zero", sqlrow.OrZero(0), nil}, {"a number", sqlrow.OrZero(-1), int64(-1)},
		{"an empty list", empty, nil}, {"a list", some, `["a"]`},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %#v, want %#v", tt.name, tt.got, tt.want)
		}
	}
}

func TestQuery(t *testing.T) {
	q := sqlrow.Query{From: "memories m", Order: "m.num DESC", Where: []string{"1"}}
	q.AddFilter("m", engram.Filter{Project: "app", Scope: engram.ScopePersonal, Topic: "auth", Since: time.UnixMilli(5)}, 3)
	text, args := q.Page("m.num", engram.Page{Limit: 10, Offset: 20})
	const want = "SELECT m.num FROM memories m WHERE 1 AND m.project = ? AND m.scope = ? AND " +
		"(m.topic_key = ? OR m.topic_key >= ? AND m.topic_key < ?) AND m.created_at >= ? ORDER BY m.num DESC LIMIT ? OFFSET ?"
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if want := []any{int64(3), engram.ScopePersonal, "auth", "auth/", "auth0", int64(5), 10, 20}; !reflect.DeepEqual(args, want) {
		t.Errorf("got %#v, want %#v", args, want)
	}
	if again, _ := q.Page("m.num", engram.Page{}); again != text || len(q.Args) != 6 {
		t.Errorf("a page changed the query: %s, %v", again, q.Args)
	}
}

// Kinds and stamps stand in files and databases: their encoding is a format.
func TestTheFormatOfCausalMetadata(t *testing.T) {
	for i, kind := range []engram.Entity{engram.EntityRelation, engram.EntityMemory, engram.EntityPrompt, engram.EntitySession, engram.EntityProject,
		engram.EntityErased} {
		if got := sqlrow.KindNum(kind); got != i {
			t.Errorf("KindNum(%s) = %d, want %d", kind, got, i)
		}
	}
	if got := sqlrow.KindNum("nothing"); got != -1 {
		t.Errorf("KindNum of an unknown kind = %d, want -1", got)
	}
	if got := sqlrow.Stamp(engram.VersionStamp{At: 0x1f, Device: "here"}, "here"); got != "1f" {
		t.Errorf("own stamp: %q", got)
	}
	if got := sqlrow.Stamp(engram.VersionStamp{At: 0x1f, Device: "there"}, "here"); got != "1f-there" {
		t.Errorf("another's stamp: %q", got)
	}
	if _, err := sqlrow.ReadStamp("zz", "here"); err == nil {
		t.Error("a stamp without a clock was read")
	}
	m := engram.CausalMetadata{Parts: map[engram.Part]engram.VersionStamp{"title": {At: 1, Device: "here"}},
		Sets: map[string]engram.Dots{"heat": {"here": {}}}, Past: 9}
	got, err := sqlrow.Causal(m, "here")
	if want := `{"p":{"title":"1"},"s":{"heat":{"":`; err != nil || !strings.HasPrefix(got.(string), want) || !strings.HasSuffix(got.(string), `"t":9}`) {
		t.Errorf("got %s, %v, want %s…", got, err, want)
	}
	if got, err := sqlrow.Causal(engram.CausalMetadata{Base: m.Parts["title"]}, "here"); got != nil || err != nil {
		t.Errorf("of the base alone: got %v, %v, want NULL", got, err)
	}
}

func TestCausalMetadataIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		device := rapid.SampledFrom([]string{"here", "there", "a-b"})
		stamp := rapid.Custom(func(t *rapid.T) engram.VersionStamp {
			return engram.VersionStamp{At: engram.Clock(rapid.Int64Min(1).Draw(t, "clock")), Device: device.Draw(t, "device")}
		})
		want := engram.CausalMetadata{Past: rapid.Int64Min(0).Draw(t, "past")}
		if parts := rapid.MapOfN(rapid.SampledFrom([]engram.Part{"title", "content", "type"}), stamp, 0, 3).Draw(t, "parts"); len(parts) > 0 {
			want.Parts = parts
		}
		column, err := sqlrow.Causal(want, "here")
		if err != nil {
			t.Fatal(err)
		}
		var got engram.CausalMetadata
		if column != nil {
			if err := sqlrow.ReadCausal(column.(string), "here", &got); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", column, got, want)
		}
	})
}
