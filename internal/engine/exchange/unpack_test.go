package exchange_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
)

func packed(t testing.TB, plain io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(z, plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zeros is an input without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestUnpack(t *testing.T) {
	t.Parallel()
	const text = `{"format":"engram","version":1,"memories":[]}`
	whole := packed(t, strings.NewReader(text))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1
	for _, tt := range []struct {
		name       string
		in         []byte
		want, fail string
	}{
		{"what is not packed stays as it is", []byte(text), text, ""},
		{"nothing is nothing", nil, "", ""},
		{"one byte is one byte", []byte("{"), "{", ""},
		{"what is packed is unpacked", whole, text, ""},
		{"two packed files behind each other are one", append(bytes.Clone(whole), whole...), text + text, ""},
		{"a file that is cut off", whole[:len(whole)-12], "", "is truncated"},
		{"a file that is nothing but a beginning", whole[:2], "", "is truncated"},
		{"a file with another sum", damaged, "", "damaged before byte"},
		{"a file that goes on with something else", append(bytes.Clone(whole), "and some more words"...), "", "unexpected data after the packed file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := exchange.Unpack(iotest.OneByteReader(bytes.NewReader(tt.in)))
			got, err := io.ReadAll(u)
			if tt.fail == "" && (err != nil || string(got) != tt.want || u.Refused() != nil) {
				t.Errorf("got %q, %v (%v); want %q", got, err, u.Refused(), tt.want)
			}
			if tt.fail != "" && (engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.fail) || !errors.Is(err, u.Refused())) {
				t.Errorf("got %q, %v (%v); want invalid: %s", got, err, u.Refused(), tt.fail)
			}
		})
	}
}

func TestUnpackGivesUpOnABomb(t *testing.T) {
	t.Parallel()
	bomb := packed(t, io.LimitReader(zeros{}, 1<<30))
	n, err := io.Copy(io.Discard, exchange.Unpack(bytes.NewReader(bomb)))
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "times its size") || n > 80<<20 {
		t.Errorf("%d bytes of packed zeros: got %d bytes, %v; want invalid before 80 MiB", len(bomb), n, err)
	}
}

func TestUnpackPassesOnWhatTheDiskSays(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	whole := packed(t, strings.NewReader(strings.Repeat("a text that is long enough ", 100)))
	_, err := io.ReadAll(exchange.Unpack(io.MultiReader(bytes.NewReader(whole[:20]), iotest.ErrReader(gone))))
	if !errors.Is(err, gone) {
		t.Errorf("got %v, want the error of the disk", err)
	}
}

func TestUnpackTellsWhatFollows(t *testing.T) {
	t.Parallel()
	one, two := packed(t, strings.NewReader("one")), packed(t, strings.NewReader("two"))
	for _, tt := range []struct {
		name       string
		file       []byte
		want, fail string
	}{
		{"two packed files are one", slices.Concat(one, two), "onetwo", ""},
		{"a few bytes of something else", slices.Concat(one, []byte("junk")), "one", "unexpected data after the packed file"},
		{"much of something else", slices.Concat(one, []byte(strings.Repeat("junk", 1000))), "one", "unexpected data after the packed file"},
		{"a second one that is cut off", slices.Concat(one, two[:5]), "one", "is truncated"},
		{"packed twice", packed(t, bytes.NewReader(one)), "", "packed twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := io.ReadAll(exchange.Unpack(bytes.NewReader(tt.file)))
			if (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) || tt.want != "" && string(got) != tt.want {
				t.Errorf("unpack: got %q, %v; want %q, %q", got, err, tt.want, tt.fail)
			}
		})
	}
}
