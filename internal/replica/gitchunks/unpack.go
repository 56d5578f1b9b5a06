package gitchunks

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/alanbuscaglia/engram"
)

// Sizes of a chunk. A push splits at 4 MiB; the first chunk of an old program had a whole project.
const (
	maxPacked = 16 << 20 // on disk
	maxPlain  = 64 << 20 // unpacked
	// Beyond freePlain a chunk must not unpack to more than maxRatio times its size. Texts reach 3
	// to 20 times; a bomb is detected before it costs anything.
	freePlain = 8 << 20
	maxRatio  = 200
	// sealing is the most that sealing adds: a header for some hundred recipients, and 16 bytes per
	// 64 KiB.
	sealing = 256 << 10
)

// isID reports whether id is 8 hex digits in lower case: the first of the SHA-256 of a chunk's JSON.
func isID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return len(id) == 8
}

// unpack returns the JSON in a packed chunk. It reads twice, so memory is only allocated for
// content that matches the ID.
func unpack(ctx context.Context, packed []byte, id string, most int64) ([]byte, error) {
	sum := sha256.New()
	n, err := inflate(ctx, sum, packed, most)
	if err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:4]); got != id {
		return nil, engram.Errorf(engram.CodeInvalid, "chunk %s is not what its name says: its content is that of %s", id, got).
			WithHint("it was changed after it was pushed; see git log on the file and restore an earlier version")
	}
	plain := bytes.NewBuffer(make([]byte, 0, n+bytes.MinRead))
	if _, err := inflate(ctx, plain, packed, most); err != nil {
		return nil, err
	}
	return plain.Bytes(), nil
}

// inflate unpacks to w, up to the limits and most bytes, and returns the size.
func inflate(ctx context.Context, w io.Writer, packed []byte, most int64) (int64, error) {
	if err := stored(packed); err != nil {
		return 0, err
	}
	in := bytes.NewReader(packed)
	z, err := gzip.NewReader(in)
	if err != nil {
		return 0, unzipped(err)
	}
	z.Multistream(false)
	limit := min(most, int64(min(maxPlain, max(freePlain, maxRatio*len(packed)))))
	n, err := io.Copy(w, io.LimitReader(&waiting{ctx, z}, limit+1))
	switch {
	case err != nil:
		return n, unzipped(err)
	case n > limit && most < maxPlain:
		return n, engram.Errorf(engram.CodeInvalid, "it is larger than %d KiB and was skipped", most>>10).WithHint("run {sync --import} to import it")
	case n > limit && limit < maxPlain:
		return n, engram.Errorf(engram.CodeInvalid, "it unpacks to more than %d times its size of %d bytes", maxRatio, len(packed)).
			WithHint("remove it: it is made to exhaust the memory of readers")
	case n > limit:
		return n, engram.Errorf(engram.CodeInvalid, "it unpacks to more than %d MiB", maxPlain>>20)
	case in.Len() > 0:
		return n, engram.Errorf(engram.CodeInvalid, "%d bytes follow the packed data", in.Len())
	}
	return n, nil
}

// stored checks the first bytes of a gzip file. If a git filter keeps the files, the filter must be
// active here too: such a chunk is not damaged.
func stored(first []byte) error {
	magic := []byte{0x1f, 0x8b}
	switch {
	case bytes.HasPrefix(first, []byte("version https://git-lfs.github.com/spec/")):
		return &elsewhere{engram.Errorf(engram.CodeForbidden, "it is in Git LFS, and only its pointer is here").WithHint("run git lfs pull")}
	case bytes.HasPrefix(first, []byte("\x00GITCRYPT\x00")):
		return &elsewhere{engram.Errorf(engram.CodeForbidden, "it is locked by git-crypt").WithHint("run git-crypt unlock")}
	case len(first) >= len(magic) && !bytes.HasPrefix(first, magic):
		return engram.Errorf(engram.CodeInvalid, "cannot unpack it: it is not a gzip file")
	}
	return nil
}

// waiting reads until its context ends.
type waiting struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (w *waiting) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// unzipped translates a gzip error.
func unzipped(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return engram.Errorf(engram.CodeInvalid, "it was cut off").WithHint("fetch the repository again; if that does not help, ask its author to push again")
	}
	return engram.Errorf(engram.CodeInvalid, "cannot unpack it").WithCause(err)
}

// pack compresses JSON. The same JSON gives the same bytes: no time is included.
func pack(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(plain); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
