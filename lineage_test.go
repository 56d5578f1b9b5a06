package engram_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestStampsTravelAsText(t *testing.T) {
	for _, s := range []engram.VersionStamp{{}, {At: 1, Device: "a"}, {At: 1<<62 + 5, Device: "dev-with-hyphens"}, {At: 7}} {
		got, err := engram.ParseVersionStamp(s.String())
		if err != nil || got != s {
			t.Errorf("ParseStamp(%q) = %+v, %v; want %+v", s.String(), got, err, s)
		}
	}
	for _, bad := range []string{"x", "-", "12-a", "zzzzzzzzzzzzzzzz-a", "ffffffffffffffff-a", "0000000000000001", "0000000000000001-a\x00"} {
		if s, err := engram.ParseVersionStamp(bad); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("ParseStamp(%q) = %+v, %v; want invalid", bad, s, err)
		}
	}
}

func TestStampsAreOrderedByClockThenByDevice(t *testing.T) {
	rising := []engram.VersionStamp{{}, {At: 1}, {At: 1, Device: "a"}, {At: 1, Device: "b"}, {At: 2, Device: "a"}}
	for i, a := range rising {
		for j, b := range rising {
			if got, want := a.Compare(b) < 0, i < j; got != want {
				t.Errorf("%v before %v: got %v, want %v", a, b, got, want)
			}
		}
	}
}

// mixed is a lineage with something in every field.
func mixed() engram.CausalMetadata {
	return engram.CausalMetadata{
		Base:     engram.VersionStamp{At: 5, Device: "a"},
		Parts:    map[engram.Part]engram.VersionStamp{engram.PartText: {At: 9, Device: "b"}, engram.PartDeleted: {At: 7, Device: "a"}},
		Sets:     map[string]engram.Dots{"go": {"a": {Added: 5, Removed: 5}, "c": {Added: 11}}},
		Counts:   map[string]engram.Count{"b": {Accesses: 3}},
		Shadowed: map[engram.Part]json.RawMessage{"topic_key": json.RawMessage(`"x"`)},
	}
}

func TestLineagesTravelWithoutWhatIsHeld(t *testing.T) {
	l := mixed()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var got engram.CausalMetadata
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	l.Shadowed = nil
	if !reflect.DeepEqual(got, l) {
		t.Errorf("%s reads as %+v, want %+v", b, got, l)
	}
}

func TestNewestLooksAtMembersToo(t *testing.T) {
	if got, want := mixed().Newest(), (engram.VersionStamp{At: 11, Device: "c"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDigestTellsWritesApartAndNothingElse(t *testing.T) {
	l := mixed()
	same := l.Clone()
	same.Counts["b"], same.Shadowed = engram.Count{Accesses: 4}, nil
	if l.Digest() != same.Digest() {
		t.Error("what was counted or is held changes the digest")
	}
	for name, change := range map[string]func(*engram.CausalMetadata){
		"the base":        func(l *engram.CausalMetadata) { l.Base.At++ },
		"a part":          func(l *engram.CausalMetadata) { l.Parts["type"] = l.Base },
		"a part's device": func(l *engram.CausalMetadata) { l.Parts[engram.PartText] = engram.VersionStamp{At: 9, Device: "c"} },
		"a removal":       func(l *engram.CausalMetadata) { l.Sets["go"]["c"] = engram.Dot{Added: 11, Removed: 11} },
		"a member":        func(l *engram.CausalMetadata) { l.Sets["db"] = engram.Dots{"a": {Added: 6}} },
	} {
		other := l.Clone()
		change(&other)
		if other.Digest() == l.Digest() {
			t.Errorf("%s does not change the digest", name)
		}
	}
	if !l.Sets["go"].Member() || (engram.Dots{"a": {Added: 5, Removed: 5}}).Member() {
		t.Error("an add that a removal had not seen must win, and only that")
	}
}
