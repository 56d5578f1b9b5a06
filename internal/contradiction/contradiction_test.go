package contradiction_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/contradiction"
)

func TestBetween(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range []struct{ name, a, b, kind, want string }{
		{"a number", "Sessions end after 15 minutes.", "Sessions end after 5 minutes.", "number", "15 minutes against 5 minutes"},
		{"a number in letters", "Three replicas run in three zones.", "Five replicas run in three zones.", "number", "Three replicas against Five replicas"},
		{"a number whose new value the other text has of something else", "Two workers read from three queues.", "Three workers read from three queues.", "number", "Two workers against Three workers"},
		{"a number whose old value the other text has in another unit", "The client waits 2 seconds between two attempts.", "The client waits 4 seconds between two attempts.", "number", "2 seconds against 4 seconds"},
		{"the same numbers in another order", "The port is 8080 and the admin port 9090.", "The admin port is 9090 and the port 8080.", "", ""},
		{"in another unit", "The lease lasts 60 seconds.", "The lease lasts 10 minutes.", "number", "60 seconds against 10 minutes"},
		{"the same in another unit", "The lease lasts 60 seconds.", "The lease lasts 1 minute.", "", ""},
		{"the same in letters", "Sessions end after 5 minutes.", "Sessions end after five minutes.", "", ""},
		{"a version", "Builds need Go 1.24.", "Builds need Go 1.26.", "number", "Go 1.24 against Go 1.26"},
		{"a version, told exactly", "Builds need Go 1.26.", "Builds need Go 1.26.3.", "", ""},
		{"a version that is a number of the same size", "Builds need Go 1.2.", "Builds need Go 1.20.", "number", "Go 1.2 against Go 1.20"},
		{"a quantity in another spelling", "The lease lasts 1500 ms.", "The lease lasts 1.5 seconds.", "", ""},
		{"a number that names another thing", "Issue 12 is about sessions.", "Issue 13 is about sessions.", "", ""},
		{"what once happened", "Fixed a race in the hub after 3 tries.", "Fixed a race in the hub after 5 tries.", "", ""},
		{"another subject", "Sessions of guests end after 15 minutes.", "Links of invitations end after 5 minutes.", "", ""},
		{"a negation", "The server runs migrations.", "The server does not run migrations.", "negation", "runs against not run"},
		{"of something else", "The server runs migrations.", "The server runs migrations, which never lock a table.", "", ""},
		{"taken back", "The server runs migrations.", "The server not only runs migrations.", "", ""},
		{"a denial that changed places", "Deploys on Tuesdays and never on a Friday.", "Deploys on Fridays and never on a Tuesday.", "negation", "Tuesdays against never on a Tuesday"},
		{"a denial in another place, of the same", "Deploys on Tuesdays and never on a Friday.", "Never deploys on a Friday, on Tuesdays it does.", "", ""},
		{"opposites", "Direct pushes are allowed.", "Direct pushes are forbidden.", "negation", "allowed against forbidden"},
		{"the opposite denied", "Direct pushes are not allowed.", "Direct pushes are forbidden.", "", ""},
		{"a prefix that turns a word round", "Identifiers are case sensitive here.", "Identifiers are case insensitive here.", "negation", "sensitive against insensitive"},
		{"a switch", "Strict mode is on.", "Strict mode is off.", "negation", "on against off"},
		{"on before a name is no switch", "The shop page is on React 17.", "The shop page is on React 19.", "number", "React 17 against React 19"},
		{"a name", "We chose Postgres for sessions of users.", "We chose Redis for sessions of users.", "name", "Postgres against Redis"},
		{"what something is", "The default branch is main.", "The default branch is master.", "name", "main against master"},
		{"what something is, of too little", "The branch is main.", "The parser is master.", "", ""},
		{"what is said besides", "The default branch is main.", "The default branch is main, as before the move.", "", ""},
		{"for something else", "We chose Redis for the sessions of users.", "We chose Redis for the limits of users.", "", ""},
		{"whose it is", "Marta owns the billing service.", "Jonas owns the billing service.", "name", "Marta against Jonas"},
		{"in another place", "In staging the query cache is enabled.", "In production the query cache is disabled.", "", ""},
		{"a verdict", "The proposal of two queues was accepted.", "The proposal of two queues was rejected.", "verdict", "accepted against rejected"},
		{"decided against", "We decided to use gRPC between services.", "We decided against gRPC between services.", "verdict", "decided against against"},
		{"Spanish", "La propuesta de colas fue aceptada.", "La propuesta de colas fue rechazada.", "verdict", "aceptada against rechazada"},
		{"German", "Der Dienst schreibt Protokolle.", "Der Dienst schreibt keine Protokolle.", "negation", "Protokolle against keine Protokolle"},
		{"French", "Le serveur garde les sessions.", "Le serveur ne garde jamais les sessions.", "negation", "garde against ne garde"},
		{"one says more", "Sessions are in Redis.", "Sessions are in Redis, which holds 2 GB and is never saved to disk.", "", ""},
		{"the same", "Never push to main on Fridays.", "Never push to main on Fridays.", "", ""},
		{"long words are cut", "We chose " + long + " for sessions of users.", "We chose Redis for sessions of users.", "name", long[:59] + "… against Redis"},
		{"what stands in brackets is put aside", "The plan of queues (two of them) was accepted.", "The plan of queues was rejected.", "verdict", "accepted against rejected"},
		{"failing to do it", "The vendor SDK handles reconnects.", "The vendor SDK fails to handle reconnects.", "negation", "handles against fails to handle"},
		{"files are no claim", "**Where**: the sessions are in a.go", "**Where**: the sessions are in b.go", "", ""},
		{"what is rejected in passing", "Tests run against a real Postgres.", "Tests run against a real Postgres instead of mocks.", "", ""},
		{"instead, which opens a claim", "Sessions of users are in Redis.", "Instead the sessions of users are in Postgres.", "name", "Redis against Postgres"},
		{"turned round", "Prefer SQLite over Postgres for the cache.", "Prefer Postgres over SQLite for the cache.", "order", "SQLite over Postgres against Postgres over SQLite"},
		{"turned round, and moved", "Prefer SQLite over Postgres for the cache.", "For the cache prefer SQLite over Postgres.", "", ""},
		{"who does it", "The gateway calls the billing service.", "The billing service calls the gateway.", "order", "gateway calls the billing against billing service calls the gateway"},
		{"in the passive", "A bad deploy caused the outage.", "The outage was caused by a bad deploy.", "", ""},
		{"in the passive the other way", "The outage caused the deploy.", "The outage was caused by the deploy.", "order", "outage caused the deploy against outage was caused by the deploy"},
		{"from here to there", "We moved from MySQL to Postgres.", "We moved from Postgres to MySQL.", "order", "MySQL to Postgres against Postgres to MySQL"},
		{"moved with its preposition", "We deploy on Fridays.", "On Fridays we deploy.", "", ""},
		{"before is not after", "Lint before the tests of the importer.", "Lint after the tests of the importer.", "negation", "before against after"},
		{"before and after, turned round", "Run the linter before the tests.", "Run the tests after the linter.", "", ""},
		{"named together", "Alice and Bob own billing.", "Bob and Alice own billing.", "", ""},
		{"what one likes", "The user likes dark mode.", "The user dislikes dark mode.", "negation", "likes against dislikes"},
		{"what it is, of one word", "The database is Postgres.", "The database is MySQL.", "name", "Postgres against MySQL"},
		{"whose it is, of one word", "Alice owns billing.", "Bob owns billing.", "name", "Alice against Bob"},
		{"who likes it", "Alice likes tea.", "Bob likes tea.", "", ""},
		{"nothing", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, found := contradiction.Between(contradiction.Text{Content: tt.a}, contradiction.Text{Content: tt.b}, contradiction.Nearness{})
			if found != (tt.want != "") || string(d.Kind) != tt.kind || d.String() != tt.want {
				t.Errorf("%q\n%q\n got %v %s %q\nwant %s %q", tt.a, tt.b, found, d.Kind, d, tt.kind, tt.want)
			}
		})
	}
}

func TestAModelThatSeesTwoSubjectsIsBelieved(t *testing.T) {
	a := contradiction.Text{Title: "Session lifetime", Content: "Sessions end after 15 minutes."}
	b := contradiction.Text{Title: "Session lifetime", Content: "Sessions end after 5 minutes."}
	for _, tt := range []struct {
		name string
		near contradiction.Nearness
		want bool
	}{
		{"no model", contradiction.Nearness{}, true},
		{"far in meaning", contradiction.Nearness{Cosine: 0.43, Related: 0.62, Duplicate: 0.93}, false},
		{"below the mark, and the same but in one place", contradiction.Nearness{Cosine: 0.61, Related: 0.62, Duplicate: 0.93}, true},
		{"near in meaning", contradiction.Nearness{Cosine: 0.62, Related: 0.62, Duplicate: 0.93}, true},
		{"nearly the same words", contradiction.Nearness{Cosine: 0.99, Related: 0.62, Duplicate: 0.93}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d, found := contradiction.Between(a, b, tt.near); found != tt.want {
				t.Errorf("%+v: got %v, %v; want %v", tt.near, found, d, tt.want)
			}
		})
	}
}

func TestTitlesThatDifferInTheNameAreOfOneSubject(t *testing.T) {
	for _, tt := range []struct {
		name, a, b, want string
	}{
		{"the name", "Sessions in Redis", "Session store", "Redis against Postgres"},
		{"both names", "Redis", "Postgres", "Redis against Postgres"},
		{"another subject", "The login form", "The admin panel", ""},
		{"the name and another subject", "Redis of the login form", "The admin panel", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := contradiction.Text{Title: tt.a, Content: "We keep the sessions of users in Redis."}
			b := contradiction.Text{Title: tt.b, Content: "We keep the sessions of users in Postgres."}
			if d, _ := contradiction.Between(a, b, contradiction.Nearness{}); d.String() != tt.want {
				t.Errorf("got %q, want %q", d.String(), tt.want)
			}
		})
	}
}

func TestALongTextIsReadFromItsBeginning(t *testing.T) {
	filler := strings.Repeat("The weather of the harbour changes. ", 200)
	for _, tt := range []struct {
		name       string
		a, b, want string
	}{
		{"the beginning counts", "The lease of a job lasts 60 seconds. " + filler, "The lease of a job lasts 5 minutes.", "60 seconds against 5 minutes"},
		{"the end does not", filler + "The lease of a job lasts 60 seconds.", "The lease of a job lasts 5 minutes.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := contradiction.Text{Title: "Lease", Content: tt.a}, contradiction.Text{Title: "Lease", Content: tt.b}
			if d, _ := contradiction.Between(a, b, contradiction.Nearness{}); d.String() != tt.want {
				t.Errorf("got %q, want %q", d, tt.want)
			}
		})
	}
}

func TestATitleIsAClaimOnlyByItself(t *testing.T) {
	for _, tt := range []struct {
		name       string
		a, b, want string
		content    string
	}{
		{"without a content", "We vendor Go dependencies", "We don't vendor Go dependencies", "vendor against don't vendor", ""},
		{"above one", "We vendor Go dependencies", "We don't vendor Go dependencies", "", "See the notes of the release."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := contradiction.Text{Title: tt.a, Content: tt.content}, contradiction.Text{Title: tt.b, Content: tt.content}
			if d, _ := contradiction.Between(a, b, contradiction.Nearness{}); d.String() != tt.want {
				t.Errorf("%+v\n%+v\n got %q\nwant %q", a, b, d, tt.want)
			}
		})
	}
}

// texts are about few things, so that many of two of them contradict each other.
func texts() *rapid.Generator[contradiction.Text] {
	word := rapid.SampledFrom(strings.Fields(`We chose Postgres Redis Kafka for the sessions cache queue server client is are not never no
		longer use uses allowed forbidden enabled disabled accepted rejected works fails 5 15 minutes seconds 1.24 Go port 8080 v2 #12
		, . ; : ( ) because instead of usamos nunca rechazada nicht 2026-01-02 a_b.go:12 staging production **What**: é 日本 on off turned`))
	noise := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(word, word, rapid.StringN(0, 3, -1)), 0, 12).Draw(t, "words"), " ")
	})
	claim := rapid.Custom(func(t *rapid.T) string {
		pick := func(words string) string {
			return rapid.SampledFrom(strings.Split(words, ",")).Draw(t, words)
		}
		return pick("We chose,We use,We don't use,Nobody chose") + " " + pick("Postgres,Redis,a file") + " for " + pick("sessions,jobs") +
			", the " + pick("cache,queue") + pick(" is, is not") + pick(" allowed, forbidden, accepted") + pick(" after 5 minutes, after 9 minutes,") + "."
	})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(claim, noise), 0, 5).Draw(t, "parts"), " ")
	})
	return rapid.Custom(func(t *rapid.T) contradiction.Text {
		return contradiction.Text{Title: text.Draw(t, "title"), Content: text.Draw(t, "content")}
	})
}

// check is what holds of any two texts.
func check(t interface{ Fatalf(string, ...any) }, a, b contradiction.Text) {
	d, found := contradiction.Between(a, b, contradiction.Nearness{})
	back, again := contradiction.Between(b, a, contradiction.Nearness{})
	if found != again || back != (contradiction.Difference{Kind: d.Kind, A: d.B, B: d.A, Weight: d.Weight}) {
		t.Fatalf("%+v\n%+v\nthere %v %+v\nback  %v %+v", a, b, found, d, again, back)
	}
	if !found && d != (contradiction.Difference{}) {
		t.Fatalf("%+v\n%+v\nfound nothing, yet says %+v", a, b, d)
	}
	if found && (d.Kind == "" || d.A == "" || d.B == "" || d.Weight < 0.5 || d.Weight > 1 ||
		utf8.RuneCountInString(d.A) > 60 || utf8.RuneCountInString(d.B) > 60) {
		t.Fatalf("%+v\n%+v\nfound %+v", a, b, d)
	}
	if d, found := contradiction.Between(a, a, contradiction.Nearness{}); found {
		t.Fatalf("%+v contradicts itself in %+v", a, d)
	}
}

func TestBetweenIsSymmetric(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts().Draw(t, "a"), texts().Draw(t, "b")
		if rapid.Bool().Draw(t, "same title") {
			b.Title = a.Title
		}
		if _, ok := contradiction.Between(a, b, contradiction.Nearness{}); ok {
			found++
		}
		check(t, a, b)
	})
	if found == 0 {
		t.Error("no two of the texts contradict each other: nothing was tested")
	}
	for _, p := range pairs(t, "pairs.tsv") {
		check(t, p.a, p.b)
	}
}

func FuzzBetween(f *testing.F) {
	for i, p := range pairs(f, "pairs.tsv") {
		if i%20 == 0 {
			f.Add(p.a.Title, p.a.Content, p.b.Title, p.b.Content)
		}
	}
	f.Add("\xff", "v1.", "#", "½ 5% 5% -3 --- 10_000 1..2 9e99 h every hour not")
	f.Fuzz(func(t *testing.T, titleA, contentA, titleB, contentB string) {
		check(t, contradiction.Text{Title: titleA, Content: contentA}, contradiction.Text{Title: titleB, Content: contentB})
	})
}

// What a Reader has read before changes nothing: it is compared on all pairs, twice, in one order and the other.
func TestAReaderReadsEachTextAsIfAlone(t *testing.T) {
	t.Parallel()
	var k contradiction.Reader
	n := 0
	for range 2 {
		for _, file := range []string{"pairs.tsv", "fresh.tsv"} {
			for _, p := range pairs(t, file) {
				want, found := contradiction.Between(p.a, p.b, contradiction.Nearness{})
				a := k.Read(p.a)
				got, also := a.Against(k.Read(p.b), contradiction.Nearness{})
				if got != want || found != also {
					t.Errorf("%q and %q: got %v, %v, want %v, %v", p.a, p.b, got, also, want, found)
				}
				if got, want := a.Series(k.Read(p.b)), contradiction.Read(p.a).Series(contradiction.Read(p.b)); got != want {
					t.Errorf("a series of %q and %q: got %v, want %v", p.a, p.b, got, want)
				}
				n++
			}
		}
	}
	if n < 800 {
		t.Errorf("%d pairs were compared", n)
	}
}
