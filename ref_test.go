package engram_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestParseRefReadsWhatIsShown(t *testing.T) {
	const whole = "mem_01m814j9vfpt57zvjs9zwe7a0z"
	for _, tt := range []struct {
		name, in string
		want     engram.Ref
		wrong    bool
	}{
		{"a number", " 12 ", engram.Ref{Num: 12}, false},
		{"a number as lists show it", "#12", engram.Ref{Num: 12}, false},
		{"an id", whole, engram.Ref{ID: whole}, false},
		{"the beginning of one, with a hash", "#mem_01m8", engram.Ref{ID: "mem_01m8"}, false},
		{"an id of another store", "obs-0123456789abcdef", engram.Ref{SyncID: "obs-0123456789abcdef"}, false},
		{"one with a hash, as older texts have it", "#obs-0123456789abcdef", engram.Ref{SyncID: "obs-0123456789abcdef"}, false},
		{"a topic", "topic:a/b", engram.Ref{Topic: "a/b"}, false},
		{"two hashes", "##obs-0123456789abcdef", engram.Ref{}, true},
		{"a hash before a topic", "#topic:a/b", engram.Ref{}, true},
		{"a hash alone", "#", engram.Ref{}, true},
		{"an id of an earlier program", "mem_abc123", engram.Ref{ID: "mem_abc123"}, false},
		{"a UUID of one", "550e8400-e29b-41d4-a716-446655440000", engram.Ref{ID: "550e8400-e29b-41d4-a716-446655440000"}, false},
		{"a UUID behind the prefix", "mem_550e8400-e29b-41d4-a716-446655440000", engram.Ref{ID: "mem_550e8400-e29b-41d4-a716-446655440000"}, false},
		{"what is nearly a UUID", "550e8400-e29b-41d4-a716-44665544000g", engram.Ref{}, true},
		{"nothing of an id", "#obs-", engram.Ref{}, true},
		{"an invalid number", "#-3", engram.Ref{}, true},
	} {
		got, err := engram.ParseRef(tt.in)
		if got != tt.want || (err != nil) != tt.wrong || err != nil && engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: ParseRef(%q) = %+v, %v; want %+v, wrong: %t", tt.name, tt.in, got, err, tt.want, tt.wrong)
		}
	}
}
