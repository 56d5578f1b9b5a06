package search_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// typed are memories of several subjects, each of several types. Few of them say what type they are, and some say the
// name of another type.
var typed = []struct {
	name    string // in the questions below
	typ     engram.Type
	title   string
	content string
}{
	{"redis bug", "bugfix", "Redis timeouts at midnight", "The backup took the only connection of the pool. Redis now has a pool of eight."},
	{"redis decision", "decision", "Sessions in Redis", "Sessions are kept in Redis and no longer in cookies, because a logout has to work at once."},
	{"redis config", "config", "Memory limit of Redis", "maxmemory is 2 GB with allkeys-lru, set in the chart of the cluster."},
	{"redis talk", "", "Redis course", "Notes of the Redis course: streams, sorted sets, scripts, and what a decision between them depends on."},
	{"login bug", "bugfix", "Login loop", "A cookie without a path made the login page load again and again."},
	{"login decision", "decision", "Login by link", "People sign in by a link in a mail; there are no passwords."},
	{"login preference", "preference", "Words on the login page", "Write sign in, never log in or log on."},
	{"billing bug", "bugfix", "Billing rounds twice", "The tax was rounded for each line and again for the sum."},
	{"billing decision", "decision", "Billing by Stripe", "Cards are charged by Stripe; invoices stay ours."},
	{"billing policy", "policy", "Refunds of billing", "Refunds above 500 euros need two people."},
	{"billing note", "", "Billing and bugs", "A bug, a bug, a bug: the bugs of the billing team's tracker are moved to the new board on Monday."},
	{"queue bug", "bugfix", "Queue stands still", "A poisoned message blocked the queue until it was moved aside."},
	{"queue decision", "decision", "Queue of our own", "Jobs wait in a table of Postgres instead of RabbitMQ."},
	{"queue learning", "learning", "Lag of the queue", "The lag grows when the workers' clocks differ."},
	{"upload bug", "bugfix", "Uploads are cut off", "The proxy cut off uploads above one megabyte."},
	{"upload architecture", "architecture", "Path of an upload", "Browser, proxy, scanner, bucket. The scanner may hold an upload back for a minute."},
	{"upload config", "config", "Size of uploads", "client_max_body_size is 20m at the proxy."},
	{"search bug", "bugfix", "Search forgets accents", "The index folded letters, the query did not."},
	{"search decision", "decision", "Search by Typesense", "Typesense, because Elasticsearch needs a machine of its own."},
	{"search pattern", "pattern", "Paging of a search", "A search pages by the last key, never by offset."},
	{"deploy bug", "bugfix", "Deploys hang", "The health check asked the old port."},
	{"deploy decision", "decision", "Deploys twice a week", "Tuesday and Thursday, never on a Friday."},
	{"deploy preference", "preference", "Names of deploys", "A deploy is named by date and first ticket."},
	{"deploy note", "", "Decided to eat together", "We decided, and decided again: lunch is at noon on the day of a deploy. No further decision is needed."},
	{"mail bug", "bugfix", "Mails without umlauts", "The subject of mails was not encoded."},
	{"mail config", "config", "Relay for mail", "Mail goes by smtp.example.org, port 587, from noreply."},
	{"mail discovery", "discovery", "Mail waits for an hour", "Some providers answer 450 to the first try of a new sender."},
	{"plants", "", "Plants", "Bugs were found in the office plants; the preference of the gardener, and our policy, is soap."},
	{"parser fix", "bugfix", "Parser and comments", "Nested comments ended at the first end. The fix counts them."},
	{"board", "", "Board meeting", "The config of the projector, the architecture of the house and a pattern of the carpet were discussed."},
}

// typedQuestions ask for a type and a subject.
var typedQuestions = [][2]string{
	{"redis bugs", "redis bug"}, {"bug redis", "redis bug"}, {"which bugs did we have with redis", "redis bug"},
	{"redis decisions", "redis decision"}, {"what did we decide about redis", "redis decision"}, {"redis configuration", "redis config"},
	{"login bugs", "login bug"}, {"bugs we fixed in the login", "login bug"}, {"decisions about login", "login decision"},
	{"what have we decided for the login", "login decision"}, {"login preferences", "login preference"},
	{"billing bugs", "billing bug"}, {"what did we fix in billing", "billing bug"}, {"billing decision", "billing decision"},
	{"policies for billing", "billing policy"}, {"billing policy", "billing policy"},
	{"queue bugs", "queue bug"}, {"fixes of the queue", "queue bug"}, {"how did we decide on the queue", "queue decision"},
	{"what did we learn about the queue", "queue learning"}, {"queue learnings", "queue learning"},
	{"upload bugs", "upload bug"}, {"fixed uploads", "upload bug"}, {"upload architecture", "upload architecture"},
	{"configuration of uploads", "upload config"}, {"upload config", "upload config"},
	{"search bugs", "search bug"}, {"bugs of search", "search bug"}, {"search decisions", "search decision"}, {"patterns for search", "search pattern"},
	{"deploy bugs", "deploy bug"}, {"which bug did deploys have", "deploy bug"}, {"decisions on deploys", "deploy decision"},
	{"what was decided about deploys", "deploy decision"}, {"deploy preferences", "deploy preference"},
	{"mail bugs", "mail bug"}, {"mail configuration", "mail config"}, {"discoveries about mail", "mail discovery"},
	{"what did we discover about mail", "mail discovery"}, {"parser fixes", "parser fix"},
	// A name of a type that is the subject.
	{"bugs in plants", "plants"}, {"decided lunch", "deploy note"}, {"pattern of the carpet", "board"}, {"bugs tracker board", "billing note"},
}

// A question for a type and a subject finds that memory first, whatever else its words say: 40 of 44, where the other
// four have all of the words too.
func TestATypeIsNoSubject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	nums := map[string]int64{}
	for _, m := range typed {
		w.Clock.Add(time.Hour)
		nums[m.name] = w.MustSave(remember.SaveInput{Type: m.typ, Title: m.title, Content: m.content, Project: "demo"}).Memory.Num
	}
	first := 0
	for _, q := range typedQuestions {
		found := w.MustSearch(search.SearchInput{Query: q[0], Filter: engram.Filter{Project: "demo"}})
		switch at := slices.Index(enginetest.HitNums(found.Hits), nums[q[1]]); at {
		case 0:
			first++
		case 1: // listed
		default:
			t.Errorf("%q: %s is %d of %v", q[0], q[1], at+1, enginetest.HitNums(found.Hits))
		}
	}
	if first < 40 {
		t.Errorf("%d of %d are first", first, len(typedQuestions))
	}
}

// The shown relevance falls along the hits, but in a list of the newest.
func TestRelevanceFallsWithTheOrder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, m := range typed {
		w.Clock.Add(40 * 24 * time.Hour)
		w.MustSave(remember.SaveInput{Type: m.typ, Title: m.title, Content: m.content, Project: "demo"})
		if strings.Contains(m.name, "login") {
			w.MustGet(1) // read, and so strong again
		}
	}
	listed := 0
	for _, query := range []string{"redis", "bug", "bugs", "decision", "decisions", "what decisions did we make", "config", "configuration of redis", "bugs we fixed",
		"Login loop", "login cookies", "kafka", "which day is lunch", "preference", "what do we know about Redis and its pool", "Bugs", ""} {
		found := w.MustSearch(search.SearchInput{Query: query, ByStrength: true, Limit: 20, Filter: engram.Filter{Project: "demo"}})
		if found.Listed() {
			listed++
			continue
		}
		hits, _ := found.InOrder()
		if !slices.IsSortedFunc(hits, func(a, b engram.Hit) int { return cmp.Compare(b.Relevance, a.Relevance) }) {
			for _, h := range hits {
				t.Logf("%.3f %s %v", h.Relevance, h.Memory.Title, h.Why.Channels)
			}
			t.Errorf("%q: relevance does not fall", query)
		}
	}
	if listed != 6 {
		t.Errorf("%d questions were answered by a list, want 6", listed)
	}
}
