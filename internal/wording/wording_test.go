package wording_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/wording"
)

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       wording.Bearing
	}{
		{"the same words", "The user prefers dark mode", "the user prefers dark mode.", wording.Same},
		{"without the article", "The user prefers dark mode", "User prefers the dark mode", wording.Same},
		{"liking is preferring", "The user likes dark mode", "User prefers dark mode", wording.Same},
		{"as a noun", "The user's preference is dark mode", "User prefers dark mode", wording.Same},
		{"in the passive", "The user prefers dark mode", "Dark mode is preferred by the user", wording.Same},
		{"the passive from the verb", "Tokens are validated by the gateway", "The gateway validates tokens", wording.Same},
		{"the passive of the past", "The outage was caused by the deploy", "The deploy caused the outage", wording.Same},
		{"the passive the wrong way", "The outage was caused by the deploy", "The outage caused the deploy", wording.Other},
		{"the passive in another tense", "Tokens were validated by the gateway", "The gateway validates tokens", wording.Other},
		{"with stress", "The user prefers dark mode", "The user really prefers dark mode", wording.Same},
		{"stress that is denied", "We do not just use Redis", "We do not use Redis", wording.Other},
		{"the past is not the present", "Alice owned billing", "Alice owns billing", wording.Other},
		{"disliking", "The user likes dark mode", "The user dislikes dark mode", wording.Other},
		{"turned round", "Prefer SQLite over Postgres", "Prefer Postgres over SQLite", wording.Other},
		{"another name", "Alice owns billing", "Bob owns billing", wording.Other},
		{"another number", "Retry 3 times", "Retry 5 times", wording.Other},
		{"another unit", "Wait 30 seconds", "Wait 30 minutes", wording.Other},
		{"a sign", "Offset -5", "Offset 5", wording.Other},
		{"a negation", "We deploy on Fridays", "We don't deploy on Fridays", wording.Other},
		{"a question", "Use JWT.", "Use JWT?", wording.Other},
		{"more at the end", "Backups run nightly", "Backups run nightly at 2 am", wording.More},
		{"less", "Backups run nightly at 2 am", "Backups run nightly", wording.Less},
		{"more behind a comma", "The database is Postgres", "The database is Postgres, hosted on RDS", wording.More},
		{"more in brackets", "The database is Postgres", "The database is Postgres (hosted on RDS)", wording.More},
		{"a longer name", "The cache is Redis", "The cache is Redis compatible", wording.Other},
		{"another branch", "Deploy from main", "Deploy from main-next", wording.Other},
		{"a number too much", "Retry 3 times", "Retry 3 times in 5 minutes", wording.Other},
		{"a limit", "We deploy on Fridays", "We deploy on Fridays only", wording.Other},
		{"a limit behind a preposition", "Deploys are allowed", "Deploys are allowed, but not on Fridays", wording.Other},
		{"an end", "Alice owns billing", "Alice owns billing until June", wording.Other},
		{"a word in the midst", "Alice owns billing", "Alice no longer owns billing", wording.Other},
		{"a doubt before", "Redis holds the sessions", "Bob thinks Redis holds the sessions", wording.Other},
		{"another sentence", "Logs go to Loki.", "Logs go to Loki. They stay for 14 days.", wording.More},
		{"another sentence before", "Logs go to Loki.", "Grafana is here. Logs go to Loki.", wording.More},
		{"sentences in another order", "Build. Test.", "Test. Build.", wording.Other},
		{"each has another sentence", "Logs go to Loki. Alice knows.", "Logs go to Loki. Bob knows.", wording.Other},
		{"taken back in another sentence", "Logs go to Loki. Not any more.", "Logs go to Loki.", wording.Other},
		{"a list", "- build\n- test", "* build\n* test\n* deploy", wording.More},
		{"code", "run `go test ./...`", "run `go vet ./...`", wording.Other},
		{"products are not production", "The product database", "The production database", wording.Other},
		{"Spanish", "El usuario prefiere el modo oscuro", "Usuario prefiere modo oscuro", wording.Same},
		{"German", "Der Nutzer mag Kaffee", "Der Nutzer mag keinen Kaffee", wording.Other},
		{"Chinese", "端口是八千。", "端口是九千。", wording.Other},
		{"the same in Chinese", "端口是八千。", "端口是八千", wording.Same},
		{"nothing", "", "Use JWT.", wording.Other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := wording.Compare(wording.Text{Content: tt.a}, wording.Text{Content: tt.b})
			if got != tt.want {
				t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

func TestTitles(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b wording.Text
		want wording.Bearing
	}{
		{"a title speaks of another thing", wording.Text{Title: "Postgres", Content: "For the cache."}, wording.Text{Title: "SQLite", Content: "For the cache."}, wording.Other},
		{"a title that the longer text lacks", wording.Text{Content: "The queue retries. It waits two seconds."}, wording.Text{Title: "Uploads", Content: "It waits two seconds."}, wording.Other},
		{"a title that the longer text has", wording.Text{Content: "The queue of uploads retries. It waits two seconds."}, wording.Text{Title: "Uploads", Content: "It waits two seconds."}, wording.Less},
		{"a title that is longer", wording.Text{Title: "Auth", Content: "We use JWT."}, wording.Text{Title: "Auth of the API", Content: "We use JWT."}, wording.Same},
		{"a title that was made of the content", wording.Text{Title: "We use JWT…", Content: "We use JWT for auth."}, wording.Text{Title: "Tokens", Content: "We use JWT for auth."}, wording.Same},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := wording.Compare(tt.a, tt.b); got != tt.want {
				t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// TestNothingThatDisagreesIsAnAddition checks the rule against every pair recorded as disagreeing.
func TestNothingThatDisagreesIsAnAddition(t *testing.T) {
	for _, name := range []string{"writes.tsv", "writes-fresh.tsv", "writes-others.tsv"} {
		file, err := os.ReadFile("../contradiction/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(file)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if f[0] != "disagree" {
				continue
			}
			for _, p := range [][2]string{{f[2], f[3]}, {f[3], f[2]}} {
				if got := wording.Compare(wording.Text{Content: p[0]}, wording.Text{Content: p[1]}); got != wording.Other {
					t.Errorf("%q, %q: got %d", p[0], p[1], got)
				}
			}
		}
	}
}

func TestBearingsAgree(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("Use Redis over Postgres not the in cache, for 3 5 sessions. is preferred by Alice (really) -"))
	rapid.Check(t, func(t *rapid.T) {
		a := wording.Text{Content: strings.Join(rapid.SliceOfN(word, 0, 10).Draw(t, "a"), " ")}
		b := wording.Text{Content: strings.Join(rapid.SliceOfN(word, 0, 10).Draw(t, "b"), " ")}
		if self := wording.Compare(a, a); self != wording.Same {
			t.Fatalf("%q is %d to itself", a.Content, self)
		}
		there := wording.Compare(a, b)
		back := wording.Compare(b, a)
		if want := map[wording.Bearing]wording.Bearing{wording.Other: wording.Other, wording.Same: wording.Same, wording.Less: wording.More, wording.More: wording.Less}[there]; back != want {
			t.Fatalf("%q, %q: %d there, %d back", a.Content, b.Content, there, back)
		}
	})
}

func BenchmarkAgainst(b *testing.B) {
	x := wording.Read(wording.Text{Content: strings.Repeat("The scheduler leases the oldest job to a worker that asks for jobs. ", 10)})
	y := wording.Read(wording.Text{Content: strings.Repeat("The scheduler leases the oldest job to a worker that asks for jobs. ", 9) + "It dies."})
	b.ReportAllocs()
	for b.Loop() {
		x.Against(y)
	}
}

func BenchmarkRead(b *testing.B) {
	t := wording.Text{Content: strings.Repeat("The scheduler leases the oldest job to a worker that asks for jobs. ", 5)}
	b.ReportAllocs()
	for b.Loop() {
		wording.Read(t)
	}
}
