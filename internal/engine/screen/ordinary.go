package screen

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// mostOrdinary bounds the digests of a generation: some 40 bytes each.
const mostOrdinary = 8 << 10

// ordinary remembers which texts the rule of package suspicion did not flag: reading one takes some hundred times as
// long as its digest, and a server tells the same memories again and again. It forgets what was not asked for lately.
// It is safe for concurrent use.
type ordinary struct {
	mu         sync.Mutex
	young, old map[digest]struct{}
}

type digest [16]byte

// or reports whether a text is known as ordinary or judge says so now.
func (o *ordinary) or(d digest, judge func() bool) bool {
	if o.has(d) {
		return true
	}
	if !judge() {
		return false
	}
	o.add(d)
	return true
}

func (o *ordinary) has(d digest) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.young[d]; known {
		return true
	}
	_, known := o.old[d]
	if known {
		o.put(d)
	}
	return known
}

func (o *ordinary) add(d digest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.put(d)
}

func (o *ordinary) put(d digest) {
	if o.young == nil || len(o.young) == mostOrdinary {
		o.young, o.old = map[digest]struct{}{}, o.young
	}
	o.young[d] = struct{}{}
}

// digestOf identifies all that SuspicionsOf checks of a memory.
func digestOf(m engram.Memory) digest {
	h := sha256.New()
	part(h, string(m.Origin))
	for _, text := range []string{m.Title, m.Content, m.Summary, m.ToolName, m.TopicKey, string(m.Type), strings.Join(m.Tags, "\n")} {
		part(h, text)
	}
	for _, text := range textsIn(nil, m.Metadata) {
		part(h, text)
	}
	part(h, "anchors")
	for _, a := range m.Anchors {
		part(h, a.Path)
	}
	return sum(h)
}

// part adds a text so that no other parts have the same bytes.
func part(h hash.Hash, text string) {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(text)))
	h.Write(size[:])
	h.Write([]byte(text))
}

func sum(h hash.Hash) digest {
	var all [sha256.Size]byte
	return digest(h.Sum(all[:0])[:16])
}

// Ordinary reports whether a text of unknown author may be injected.
func (s *Screen) Ordinary(text string) bool {
	h := sha256.New()
	part(h, text)
	return s.ordinary.or(sum(h), func() bool { return !InstructionLike(text) })
}
