package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// A Part takes the bytes of a file as they come, and may have some from before.
type Part interface {
	io.Writer               // its errors end the download as they are
	Len() int64             // bytes that are there
	Tag() string            // the ETag with which they came; "" if they cannot be continued
	Begin(tag string) error // forgets them; what is written next came with tag
}

// chunk is how much is read at once.
const chunk = 256 << 10

// Download brings a file of a snapshot into a part until it has the file's size, and continues what is there if the hub
// still has the same. Its content is the caller's to check. Errors are those of Snapshot and of the part.
func (c *Client) Download(ctx context.Context, repository, commit string, f File, to Part) error {
	segments := strings.Split(f.Path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	address := c.base.String() + "/" + repository + "/resolve/" + url.PathEscape(commit) + "/" + strings.Join(segments, "/")
	return c.persist(ctx, to.Len, func() error { return c.bring(ctx, address, f, to) })
}

// bring is one try of Download.
func (c *Client) bring(ctx context.Context, address string, f File, to Part) error {
	header := http.Header{"Accept-Encoding": {"identity"}}
	have := to.Len()
	switch {
	case have == f.Size && have > 0:
		return nil
	case have > f.Size, have > 0 && !strings.HasPrefix(to.Tag(), `"`): // a weak tag does not promise the same bytes
		if err := to.Begin(""); err != nil {
			return err
		}
		have = 0
	case have > 0:
		header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		header.Set("If-Range", to.Tag())
	}
	r, err := c.get(ctx, f.Path, address, header, http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	want := fmt.Sprintf("bytes %d-%d/%d", have, f.Size-1, f.Size)
	switch {
	case r.StatusCode == http.StatusPartialContent && have > 0 && r.Header.Get("Content-Range") == want:
	case r.StatusCode == http.StatusOK:
		// The first answer, or the whole of another version.
		if err := to.Begin(r.Header.Get("ETag")); err != nil {
			return err
		}
		have = 0
	default:
		// The hub has other bytes than were asked for: all of them, then.
		if err := to.Begin(""); err != nil {
			return err
		}
		return again{engram.Errorf(engram.CodeUnavailable, "the model hub cannot continue %s (%d)", f.Path, r.StatusCode).WithHint("try again"), 0}
	}
	if r.ContentLength >= 0 && have+r.ContentLength != f.Size {
		return c.otherSize(f, have+r.ContentLength)
	}
	return c.pour(r.Body, f, to)
}

func (c *Client) otherSize(f File, size int64) error {
	return engram.Errorf(engram.CodeUnavailable, "the model hub sends %s with %d bytes, and announced %d", f.Path, size, f.Size).
		WithHint("if HF_ENDPOINT or a proxy changes files, try without it")
}

// pour writes a body into a part.
func (c *Client) pour(body io.Reader, f File, to Part) error {
	buffer := make([]byte, chunk)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if to.Len()+int64(n) > f.Size {
				return c.otherSize(f, to.Len()+int64(n))
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && to.Len() == f.Size:
			return nil
		case errors.Is(err, io.EOF):
			return again{c.unreachable(io.ErrUnexpectedEOF), 0}
		case err != nil:
			return again{c.unreachable(err), 0}
		}
	}
}
