package lifecycle

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/alanbuscaglia/engram"
)

// DerivedID is the ID of a memory that has none and comes from a program that knows it by its
// sync id: everywhere the same, so that relations which name it by its ID are understood by
// whoever has it from there. It is of the form of all IDs (https://github.com/ulid/spec): at
// in milliseconds, and a hash of the sync id in the place of chance. at is when the memory was
// made; the zero time, or one before 1970, counts as 1970.
func DerivedID(syncID string, at time.Time) engram.ID {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base 32
	sum := sha256.Sum256([]byte("engram memory " + syncID))
	ms := uint64(0)
	if !at.IsZero() && at.UnixMilli() > 0 {
		ms = uint64(at.UnixMilli())
	}
	high, low := ms<<16|uint64(binary.BigEndian.Uint16(sum[:])), binary.BigEndian.Uint64(sum[2:])
	var name [26]byte
	for i := len(name) - 1; i >= 0; i-- {
		name[i] = digits[low&31]
		low, high = low>>5|high<<59, high>>5
	}
	return engram.ID(engram.IDPrefix + string(name[:]))
}
