package lifecycle

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/alanbuscaglia/engram"
)

// DerivedID returns the ID of a memory that only has a sync id. It is the same everywhere, so
// relations that use it resolve on every replica. Its form is that of all IDs
// (https://github.com/ulid/spec): at in milliseconds, and a hash of the sync id in place of
// randomness. at is the creation time; zero or before 1970 counts as 1970.
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
