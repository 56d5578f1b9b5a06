package lifecycle

import (
	"encoding/binary"
	"hash/fnv"
	"io"

	"github.com/alanbuscaglia/engram"
)

// pastDerived is the bit of a Past that marks a derived stamp among the texts. Such a text equals
// others with the same words, so what may join depends on all of them.
const pastDerived = 1

// Past returns CausalMetadata.Past of a memory with these revisions, in any order and numbering,
// and with this title and content now, written by said.
func Past(revisions []engram.Revision, title, content string, said engram.VersionStamp) int64 {
	stamped := make([]engram.Revision, len(revisions))
	for i, r := range revisions {
		r.Stamp = RevisionStamp(r)
		stamped[i] = r
	}
	return pastOf(texts(stamped, textOf(engram.Memory{Title: title, Content: content}, said)))
}

// PastWith returns Past after a local write replaced one more text, without reading the earlier
// ones; known is false if they must be read.
func PastWith(past int64, replaced engram.Revision) (now int64, known bool) {
	if past&pastDerived != 0 || RevisionStamp(replaced).Derived() {
		return 0, false
	}
	return past ^ pastText(replaced), true
}

// pastOf returns the number of a set of texts: the exclusive or of theirs, so order does not matter
// and one more text is one step.
func pastOf(texts []engram.Revision) int64 {
	var sum, derivedToo int64
	for _, r := range texts {
		sum ^= pastText(r)
		if r.Stamp.Derived() {
			derivedToo = pastDerived
		}
	}
	return sum | derivedToo
}

// pastText returns the number of one text, with the bit pastDerived cleared.
func pastText(r engram.Revision) int64 {
	h := fnv.New64a()
	for _, s := range []string{r.Stamp.String(), r.Title, r.Content} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		_, _ = io.WriteString(h, s) // a hash never fails
	}
	return int64(h.Sum64()) &^ pastDerived
}
