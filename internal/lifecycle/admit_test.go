package lifecycle_test

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func noon() time.Time { return time.Date(2026, 6, 12, 12, 0, 0, 0, time.UTC) }

func TestAdmit(t *testing.T) {
	draft := engram.Memory{Title: "Auth", Type: "decision", TopicKey: "auth", NormalizedHash: "aa"}
	free := draft
	free.TopicKey = ""
	with := func(change func(*engram.Memory)) *engram.Memory {
		old := draft
		old.Num = 7
		change(&old)
		return &old
	}
	nothing := func(*engram.Memory) {}
	for _, tt := range []struct {
		name          string
		m             engram.Memory
		topic, repeat *engram.Memory
		want          lifecycle.Action
		target        int64
		reason        string
	}{
		{"what nobody said is new", free, nil, nil, lifecycle.Insert, 0, "new"},
		{"the first of a topic", draft, nil, nil, lifecycle.Insert, 0, "first of its topic"},
		{"a topic that says something else", draft, with(func(m *engram.Memory) { m.NormalizedHash = "bb" }), nil, lifecycle.Revise, 7, "same topic key"},
		{"a topic under another title", draft, with(func(m *engram.Memory) { m.Title = "Model" }), nil, lifecycle.Revise, 7, "same topic key"},
		{"a topic of another type", draft, with(func(m *engram.Memory) { m.Type = "bugfix" }), nil, lifecycle.Revise, 7, "same topic key"},
		{"a topic that says this already", draft, with(nothing), nil, lifecycle.Repeat, 7, "the topic says this already"},
		{"an exact repeat", free, nil, with(nothing), lifecycle.Repeat, 7, "exact repeat"},
		{"a topic goes before a repeat", draft, with(func(m *engram.Memory) { m.NormalizedHash = "bb" }), with(func(m *engram.Memory) { m.Num = 8 }),
			lifecycle.Revise, 7, "same topic key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lifecycle.Admit(tt.m, lifecycle.Known{Topic: tt.topic, Repeat: tt.repeat}, lifecycle.AdmitSeparately, lifecycle.DefaultPolicy())
			if got.Action != tt.want || got.Target.Num != tt.target || got.Reason != tt.reason {
				t.Errorf("Admit(%+v, %+v, %+v)\n got %s of #%d, %q\nwant %s of #%d, %q", tt.m, tt.topic, tt.repeat,
					got.Action, got.Target.Num, got.Reason, tt.want, tt.target, tt.reason)
			}
		})
	}
}

func TestIsRepeat(t *testing.T) {
	m := engram.Memory{Title: "Auth", Type: "decision", Scope: "project"}
	for _, tt := range []struct {
		name   string
		change func(m, old *engram.Memory)
		after  time.Duration
		want   bool
	}{
		{"at once", nil, 0, true},
		{"at the end of the window", nil, 15 * time.Minute, true},
		{"after the window", nil, 15*time.Minute + time.Millisecond, false},
		{"a clock that was set back a little costs nothing", nil, -time.Minute, true},
		{"a clock that was set back by the window", nil, -15 * time.Minute, true},
		{"a clock that was set back by a day", nil, -24 * time.Hour, false},
		{"another title", func(m, _ *engram.Memory) { m.Title = "Model" }, 0, false},
		{"another type", func(m, _ *engram.Memory) { m.Type = "bugfix" }, 0, false},
		{"another scope", func(m, _ *engram.Memory) { m.Scope = "personal" }, 0, false},
		{"a topic of its own", func(m, _ *engram.Memory) { m.TopicKey = "auth" }, 0, false},
		{"a repeat of a topic's memory without the topic", func(_, old *engram.Memory) { old.TopicKey = "auth" }, 0, true},
		{"other tags are no difference", func(m, _ *engram.Memory) { m.Tags = []string{"new"} }, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, old := m, m
			old.CreatedAt = noon()
			if tt.change != nil {
				tt.change(&now, &old)
			}
			if got := lifecycle.IsRepeat(now, old, noon().Add(tt.after), lifecycle.DefaultPolicy()); got != tt.want {
				t.Errorf("IsRepeat(%+v, %+v, %v later) = %v, want %v", now, old, tt.after, got, tt.want)
			}
		})
	}
	if p := (lifecycle.Policy{RepeatWindow: time.Hour}); !lifecycle.IsRepeat(m, engram.Memory{Title: "Auth", Type: "decision", Scope: "project", CreatedAt: noon()}, noon().Add(time.Hour), p) {
		t.Error("the window of another policy does not count")
	}
}

func TestRevised(t *testing.T) {
	old := engram.Memory{ID: "mem_1", Num: 7, SyncID: "obs-1", Project: "demo", Scope: "project", Type: "bugfix", Title: "Old", Content: "old", Summary: "o",
		Tags: []string{"a", "c"}, Metadata: map[string]any{"k": 1.0, "l": "x"}, TopicKey: "key", SessionID: "s1", ToolName: "bash", Origin: "human", Importance: 0.9,
		Strength: 0.2, TouchedAt: noon(), Permanent: true, AccessCount: 5, LastAccessedAt: noon(), CreatedAt: noon(), UpdatedAt: noon(),
		RevisionCount: 3, DuplicateCount: 2, LastSeenAt: noon(), NormalizedHash: "aa"}
	m := engram.Memory{Type: "decision", Title: "New", Content: "new", Tags: []string{"b", "a"}, Metadata: map[string]any{"k": 2.0}, SessionID: "s2", Origin: "agent",
		Importance: 0.5, NormalizedHash: "bb"}
	now := noon().Add(time.Hour)
	want := old
	want.Type, want.Title, want.Content, want.Summary, want.NormalizedHash = "decision", "New", "new", "", "bb"
	want.Tags, want.Metadata = []string{"a", "b", "c"}, map[string]any{"k": 2.0, "l": "x"}
	want.ToolName, want.Origin, want.Importance = "", "agent", 0.5
	want.RevisionCount, want.UpdatedAt, want.Strength, want.TouchedAt = 4, now, 1, now
	want.ReviewAfter = now.AddDate(0, 6, 0)
	before := old.Metadata["k"]
	if got := lifecycle.Revised(old, m, now, lifecycle.DefaultPolicy()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if old.Metadata["k"] != before || !reflect.DeepEqual(old.Tags, []string{"a", "c"}) {
		t.Errorf("the old memory was changed: %+v", old)
	}
	m.Type = "bugfix"
	if got := lifecycle.Revised(want, m, now, lifecycle.DefaultPolicy()); !got.ReviewAfter.IsZero() {
		t.Errorf("a type that never falls due is due at %v", got.ReviewAfter)
	}
}

func TestRepeated(t *testing.T) {
	old := engram.Memory{Num: 7, Title: "t", Content: "c", CreatedAt: noon(), UpdatedAt: noon(), RevisionCount: 2, DuplicateCount: 1}
	now := noon().Add(time.Minute)
	want := old
	want.DuplicateCount, want.LastSeenAt, want.UpdatedAt = 2, now, now
	want.Tags, want.Metadata, want.Permanent = []string{"auth"}, map[string]any{"pr": 7}, true
	again := engram.Memory{Title: "t", Content: "c", Tags: []string{"auth"}, Metadata: map[string]any{"pr": 7}, Permanent: true}
	if got := lifecycle.Repeated(old, again, now); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestHashIsOfTheWordsInLowerCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\t\n\v\f\r]*`), rapid.StringOf(rapid.SampledFrom([]rune("aZé  \u00a0\u0085İ\t")))).Draw(t, "content")
		sum := sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ToLower(content)), " ")))
		if got, want := lifecycle.Hash(content), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("Hash(%q) = %s, want %s", content, got, want)
		}
	})
}
