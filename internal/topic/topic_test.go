package topic_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/topic"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing stays nothing", "", ""},
		{"only space is nothing", " \t\n", ""},
		{"a good key stays", "architecture/auth-model", "architecture/auth-model"},
		{"case and outer space go", "  Architecture/Auth ", "architecture/auth"},
		{"white space becomes one hyphen", "bug/n plus\t \n1", "bug/n-plus-1"},
		{"hyphens beside white space are one", "bug/a - b--c", "bug/a-b-c"},
		{"a hyphen at either end stays", "-a-", "-a-"},
		{"underscores stay", "root__cause", "root__cause"},
		{"other scripts are lower-cased too", "Решение/Кэш Сессий", "решение/кэш-сессий"},
		{"a key of the greatest length stays", strings.Repeat("k", engram.MaxTopicKey), strings.Repeat("k", engram.MaxTopicKey)},
		// The digests by sha256sum.
		{"a longer one is cut and ends in a digest", strings.Repeat("k", engram.MaxTopicKey+1), strings.Repeat("k", engram.MaxTopicKey-17) + "-41cab6bc48d89432"},
		{"one that differs at its end ends in another", strings.Repeat("k", engram.MaxTopicKey-1) + "é", strings.Repeat("k", engram.MaxTopicKey-17) + "-1664f022976c86c3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := topic.Normalize(tt.in); got != tt.want {
				t.Errorf("Normalize(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	for _, tt := range []struct {
		name           string
		typ            engram.Type
		title, content string
		want           string
	}{
		{"type and title", "architecture", "Auth model", "", "architecture/auth-model"},
		{"design is architecture", "design", "Auth", "", "architecture/auth"},
		{"adr is architecture", "adr", "Auth", "", "architecture/auth"},
		{"refactor is architecture", "refactor", "Auth", "", "architecture/auth"},
		{"bugfix is bug", "bugfix", "N+1 in UserList", "", "bug/n-1-in-userlist"},
		{"incident is bug", "incident", "Down", "", "bug/down"},
		{"hotfix is bug", "hotfix", "Down", "", "bug/down"},
		{"decision", "decision", "Use SQLite", "", "decision/use-sqlite"},
		{"guideline is pattern", "guideline", "Tabs", "", "pattern/tabs"},
		{"convention is pattern", "convention", "Tabs", "", "pattern/tabs"},
		{"infrastructure is config", "infrastructure", "VPC", "", "config/vpc"},
		{"ci is config", "ci", "Cache", "", "config/cache"},
		{"root_cause is discovery", "root_cause", "Slow", "", "discovery/slow"},
		{"root-cause is discovery", "root-cause", "Slow", "", "discovery/slow"},
		{"investigation is discovery", "investigation", "Slow", "", "discovery/slow"},
		{"learn is learning", "learn", "Slow", "", "learning/slow"},
		{"session_summary is session", "session_summary", "Monday", "", "session/monday"},
		{"the type's case does not matter", " BugFix ", "Down", "", "bug/down"},

		{"a word of the title decides where the type does not", "manual", "Fixed the login", "", "bug/fixed-the-login"},
		{"a word of the content does", "fact", "Login", "we decided on cookies", "decision/login"},
		{"a word of architecture", "manual", "Layers of the store", "", "architecture/layers-of-the-store"},
		{"a word of patterns", "manual", "Naming of tests", "", "pattern/naming-of-tests"},
		{"a word of configuration", "manual", "Docker volumes", "", "config/docker-volumes"},
		{"a word of discovery", "manual", "Cause of the delay", "", "discovery/cause-of-the-delay"},
		{"a word of learning", "manual", "Lesson of the day", "", "learning/lesson-of-the-day"},
		{"architecture goes before discovery, wherever they stand", "manual", "Found a layer too many", "", "architecture/found-a-layer-too-many"},
		{"bug goes before decision", "manual", "Login", "decided how to handle the crash", "bug/login"},
		{"a part of a word is no word", "manual", "Prefix tree", "", "topic/prefix-tree"},
		{"a type of its own is the family", "Runbook", "Restore a backup", "", "runbook/restore-a-backup"},
		{"a type with a slash makes no third level", "ops/runbook", "Restore", "", "ops-runbook/restore"},
		{"manual says nothing", "manual", "Restore", "", "topic/restore"},
		{"no type", "", "Restore", "", "topic/restore"},

		{"a leading family is dropped", "bugfix", "bug: N+1", "", "bug/n-1"},
		{"a title that is the family stays", "bugfix", "Bug", "", "bug/bug"},
		{"without a title the content's first eight words", "decision", " ", "one two three four five six seven eight nine", "decision/one-two-three-four-five-six-seven-eight"},
		{"a title without words gives way to the content", "decision", "!!!", "use cookies", "decision/use-cookies"},
		{"nothing left is general", "decision", "—", "…", "decision/general"},
		{"private parts stay out", "decision", "Key <private>sk-1</private> rotates", "", "decision/key-rotates"},
		{"a private title gives way to the content", "decision", "<private>x</private>", "rotate keys", "decision/rotate-keys"},
		{"a private title and nothing else is general", "decision", "<private>x", "", "decision/general"},
		{"an open tag in the title hides nothing of the content", "decision", "<private>x", "rotate keys", "decision/rotate-keys"},

		{"a title in Cyrillic keeps its letters", "decision", "Кэш сессий", "", "decision/кэш-сессий"},
		{"a title in Chinese keeps its characters", "bugfix", "修复登录问题", "", "bug/修复登录问题"},
		{"marks belong to their letters", "decision", "हिन्दी पाठ", "", "decision/हिन्दी-पाठ"},
		{"Latin words win in a mixed title", "bugfix", "修复 login 问题", "", "bug/login"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := topic.Suggest(tt.typ, tt.title, tt.content); got != tt.want {
				t.Errorf("Suggest(%q, %q, %q)\n got %q\nwant %q", tt.typ, tt.title, tt.content, got, tt.want)
			}
		})
	}
}

func TestSuggestKeepsItsLimits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typ   engram.Type
		title string
	}{
		{"a long title", "bugfix", strings.Repeat("word ", 200)},
		{"a long title in another script", "bugfix", strings.Repeat("слово ", 200)},
		{"a long type", engram.Type(strings.Repeat("t", 300)), "Title"},
		{"a long type and a long title", engram.Type(strings.Repeat("é", 300)), strings.Repeat("word", 200)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := topic.Suggest(tt.typ, tt.title, "")
			family, segment, ok := strings.Cut(key, "/")
			if !ok || family == "" || segment == "" || len(segment) > 100 || len(key) > engram.MaxTopicKey || strings.HasSuffix(key, "-") {
				t.Errorf("key %q: %d bytes, segment %d", key, len(key), len(segment))
			}
		})
	}
}

func FuzzTopic(f *testing.F) {
	f.Add("bugfix", "N+1 in UserList", "content")
	f.Add("", "修复", "<private>x")
	f.Add("İ/ -", "\xff -\u00a0-", "ǅ")
	f.Fuzz(func(t *testing.T, typ, title, content string) {
		key := topic.Normalize(title)
		if again := topic.Normalize(key); again != key {
			t.Errorf("Normalize(%q) = %q, and of that %q", title, key, again)
		}
		if len(key) > engram.MaxTopicKey || !utf8.ValidString(key) {
			t.Errorf("Normalize(%q) = %q: %d bytes", title, key, len(key))
		}
		s := topic.Suggest(engram.Type(typ), title, content)
		if s != topic.Normalize(s) || strings.Count(s, "/") != 1 || strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") {
			t.Errorf("Suggest(%q, %q, %q) = %q", typ, title, content, s)
		}
	})
}

func BenchmarkSuggest(b *testing.B) {
	content := strings.Repeat("The session cache held the pool for too long under load. ", 10)
	for b.Loop() {
		topic.Suggest("manual", "Session cache and pool", content)
	}
}
