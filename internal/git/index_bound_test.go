package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
)

// unfolding is an index of version 4 of files, each of whose paths is the one before with more
// behind it: cut is how much of the one before is left away.
func unfolding(count, cut int, more string) []byte {
	var b bytes.Buffer
	b.WriteString("DIRC")
	_ = binary.Write(&b, binary.BigEndian, []uint32{4, uint32(count)}) // a buffer takes everything
	for i := range count {
		entry := make([]byte, 62)
		binary.BigEndian.PutUint32(entry[24:], modeFile)
		b.Write(entry)
		if i == 0 {
			b.WriteByte(0)
		} else {
			b.WriteByte(byte(cut))
		}
		b.WriteString(more + "\x00")
	}
	b.Write(make([]byte, 20))
	return b.Bytes()
}

func TestAnIndexDoesNotUnfold(t *testing.T) {
	t.Parallel()
	t.Run("paths that no system opens are refused", func(t *testing.T) {
		longest := 0
		err := scanBytes(context.Background(), unfolding(20_000, 0, "d/"), 20, func(e *entry) { longest = max(longest, len(e.path)) })
		if err == nil || longest > maxPath {
			t.Errorf("20,000 paths, each longer than the one before: %v, the longest %d bytes, want an error and at most %d", err, longest, maxPath)
		}
	})
	t.Run("reading ends when nobody waits for it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		seen := 0
		err := scanBytes(ctx, unfolding(40_000, 3, "abc"), 20, func(*entry) { seen++; cancel() })
		if err == nil || seen > 2000 {
			t.Errorf("after the end %d entries were read: %v", seen, err)
		}
	})
}
