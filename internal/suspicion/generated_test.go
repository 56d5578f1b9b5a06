package suspicion_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// generated returns harmless note number n: the words of engineers in no order, so that every two of them meet.
func generated(n int) string {
	r := rand.New(rand.NewSource(7*1_000_003 + int64(n)))
	one := func(words string) string { all := strings.Fields(words); return all[r.Intn(len(all))] }
	invented := func() (w string) {
		for range 2 + r.Intn(2) {
			w += string("bcdfghjklmnprstvz"[r.Intn(17)]) + string("aeiou"[r.Intn(5)])
		}
		return w
	}
	const nouns = `token refresh session cookie timeout deadlock race retry backoff pagination cursor checksum encoding timezone locale migration
		index trigger constraint pool connection buffer goroutine mutex channel handler middleware header payload schema snapshot manifest chunk
		digest watermark tombstone lease heartbeat quota throttle redirect certificate proxy fixture mock assertion benchmark regression flag
		config secret rotation permission role scope tenant shard replica leader follower offset partition batch stream window latency throughput
		allocation leak panic overflow underflow precision rounding currency invoice refund coupon cart checkout address avatar thumbnail upload
		attachment template layout sidebar tooltip modal keyboard shortcut clipboard theme contrast font`
	component, noun := one("auth billing scheduler indexer gateway parser renderer notifier uploader webhook cache ledger router mailer queue"), one(nouns)
	var related strings.Builder
	for i := range 40 {
		if i%7 == 6 {
			related.WriteString(invented() + " ")
		} else {
			related.WriteString(one(nouns) + " ")
		}
	}
	return fmt.Sprintf("**What**: %s the %s %s of the %s so that it no longer breaks the %s (module %s).\n**Where**: internal/%s/%s.go\n**Related**: %s",
		one("fixed replaced removed merged cached deferred validated throttled extracted inlined pinned reverted isolated"),
		one("stale duplicate missing recursive flaky malformed truncated lazy partial nested orphaned"), noun, component, one(nouns), invented(), component, noun, &related)
}

// A note about tokens and cursors is withheld from agents if it is flagged, and of many notes a few are about both.
func TestGeneratedNotesAreOrdinary(t *testing.T) {
	const notes, most = 5000, 5
	flagged := 0
	for n := range notes {
		if why := suspicion.Of(generated(n)); len(why) > 0 {
			flagged++
			t.Logf("%+v", why)
		}
	}
	if flagged > most {
		t.Errorf("%d of %d notes are flagged, at most %d", flagged, notes, most)
	}
}
