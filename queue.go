package engram

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// QueueKind says why something waits for a person.
type QueueKind string

// The kinds, in the order in which they are listed.
const (
	QueueSuspect  QueueKind = "suspect"  // it reads like an order to an agent, and is not told unasked
	QueueWaiting  QueueKind = "waiting"  // it came from others, and is no memory yet
	QueueProposal QueueKind = "proposal" // it was read out of transcripts or commits, and is no memory yet
	QueueChanged  QueueKind = "changed"  // the code that it speaks of is another one, or gone
	QueueDue      QueueKind = "due"      // the time to check it has come
)

// QueueKinds returns all kinds, in their order.
func QueueKinds() []QueueKind {
	return []QueueKind{QueueSuspect, QueueWaiting, QueueProposal, QueueChanged, QueueDue}
}

// ParseQueueKinds reads kinds as people write them, each once; none is every one. What is no
// kind is CodeInvalid.
func ParseQueueKinds(names []string) ([]QueueKind, error) {
	var kinds []QueueKind
	for _, name := range names {
		k := QueueKind(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(QueueKinds(), k) {
			return nil, Errorf(CodeInvalid, "%q is no kind of review", name).WithHint("suspect, waiting, proposal, changed or due")
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// QueueItem is one thing that waits for a person.
type QueueItem struct {
	Kind    QueueKind
	Memory  Memory    // the zero Memory of waiting and proposal
	State   State     // of Memory
	Waiting *Deferred // of waiting and proposal; else nil
	// Anchors is the code that a changed memory speaks of, with what became of it; nil of others.
	Anchors []Anchored
	Reasons []string  // for a person
	Since   time.Time // since when it waits; zero where nobody noted that
}

// Name is by what a person decides on it: the number of a memory, or the WaitingName of a record.
func (i QueueItem) Name() string {
	if i.Waiting != nil {
		return WaitingName(i.Waiting.Num)
	}
	return strconv.FormatInt(i.Memory.Num, 10)
}

// WaitingName is what something that waits and is no memory yet is called by a person: w and its number.
func WaitingName(num int64) string { return "w" + strconv.FormatInt(num, 10) }

// ParseWaitingName reads a WaitingName, in any case; is reports whether it is one.
func ParseWaitingName(name string) (num int64, is bool) {
	digits, is := strings.CutPrefix(strings.ToLower(name), "w")
	num, err := strconv.ParseInt(digits, 10, 64)
	return num, is && err == nil && num > 0
}
