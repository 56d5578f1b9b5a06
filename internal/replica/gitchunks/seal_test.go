package gitchunks_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

const plainWords = "the words that nobody else may read"

func sealedChunk(dir, id string) string {
	return filepath.Join(dir, ".engram", "chunks", id+".jsonl.gz.age")
}

func TestASealedChunkIsForItsRecipients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine, my := identity(t)
	theirs, their := identity(t)
	strangers, _ := identity(t)
	team := []string{my, their}
	r := open(t, gitchunks.Options{Dir: dir, Recipients: team, IdentityFile: mine})
	if err := r.SetRecipients(team); err != nil {
		t.Fatal(err)
	}
	b := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, plainWords))
	sealed, err := os.ReadFile(sealedChunk(dir, b.ID))
	if err != nil || bytes.Contains(sealed, []byte(plainWords)) {
		t.Fatalf("the chunk: %v, %q", err, sealed)
	}
	for name, tt := range map[string]struct {
		file string
		code engram.Code
		want string
	}{
		"one of the team":          {theirs, "", ""},
		"who wrote it":             {mine, "", ""},
		"a stranger":               {strangers, engram.CodeForbidden, "not encrypted to your identity"},
		"somebody without a key":   {"", engram.CodeForbidden, "cannot decrypt it: no identity was found"},
		"somebody who lost theirs": {filepath.Join(dir, "lost"), engram.CodeForbidden, "cannot decrypt it: no identity was found"},
	} {
		reader := open(t, gitchunks.Options{Dir: dir, IdentityFile: tt.file})
		records, err := readAll(t, reader, b.ID)
		if engram.CodeOf(err) != tt.code || tt.code == "" && (len(records) != 1 || records[0].Memory.Memory.Content != plainWords) || tt.code != "" && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %+v, %v; want %q %s", name, records, err, tt.code, tt.want)
		}
		if batches, err := reader.Batches(t.Context()); err != nil || !slices.Equal(batches, []engram.Batch{b}) {
			t.Errorf("%s: batches: got %+v, %v; want what the manifest says of it", name, batches, err)
		}
		if err := reader.Settle(t.Context()); err != nil {
			t.Errorf("%s: settle: %v", name, err)
		}
	}
	if notes, err := r.Notes(t.Context()); err != nil || len(notes) != 0 {
		t.Errorf("notes: got %+v, %v", notes, err)
	}
}

// Anyone with push access can change the recipients. Nothing is sealed for others, or left
// unsealed, without the user's consent.
func TestOtherRecipientsThanTheAgreedAreRefused(t *testing.T) {
	t.Parallel()
	_, my := identity(t)
	_, eves := identity(t)
	for _, tt := range []struct {
		name         string
		agreed, file []string
		code         engram.Code
		want         string
	}{
		{"the same", []string{my, eves}, []string{eves, my, my}, "", ""},
		{"one more", []string{my}, []string{my, eves}, engram.CodeConflict, "+" + eves},
		{"one less", []string{my, eves}, []string{my}, engram.CodeConflict, "-" + eves},
		{"another", []string{my}, []string{eves}, engram.CodeConflict, "+" + eves + " -" + my},
		{"none any more", []string{my}, nil, engram.CodeConflict, "-" + my},
		{"nobody agreed", nil, []string{my}, engram.CodeForbidden, "1 recipients"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, ".engram"), 0o700); err != nil {
				t.Fatal(err)
			}
			if tt.file != nil {
				writeText(t, filepath.Join(dir, ".engram", "recipients.txt"), "# us\n\n "+strings.Join(tt.file, "\n")+"\r\n")
			}
			before := listing(t, dir)
			r := open(t, gitchunks.Options{Dir: dir, Recipients: tt.agreed})
			_, err := r.Write(t.Context(), engram.Batch{}, []engram.Record{memory(1, plainWords)})
			if engram.CodeOf(err) != tt.code || tt.code != "" && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q %s", err, tt.code, tt.want)
			}
			if tt.code != "" && listing(t, dir) != before {
				t.Errorf("there is now\n%s\nwant\n%s", listing(t, dir), before)
			}
		})
	}
}

func TestRecipientsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, a := identity(t)
	_, b := identity(t)
	r := open(t, gitchunks.Options{Dir: dir})
	if got, err := r.Recipients(); err != nil || got != nil {
		t.Errorf("without a file: got %v, %v", got, err)
	}
	if err := r.SetRecipients([]string{b, a, b}); err != nil {
		t.Fatal(err)
	}
	want := []string{a, b}
	slices.Sort(want)
	if got, err := r.Recipients(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if err := r.SetRecipients([]string{"age1bad"}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("what is none: got %v, want invalid", err)
	}
	writeText(t, filepath.Join(dir, ".engram", "recipients.txt"), "ssh-ed25519 AAAA\n")
	if got, err := r.Recipients(); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a file with something else: got %v, %v; want invalid", got, err)
	}
	for range 2 {
		if err := r.SetRecipients(nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := r.Recipients(); err != nil || got != nil {
		t.Errorf("taken away: got %v, %v", got, err)
	}
	if _, err := gitchunks.Open(gitchunks.Options{Dir: dir, Recipients: []string{"me"}}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("open with what is no recipient: got %v, want invalid", err)
	}
	if _, err := gitchunks.Open(gitchunks.Options{Dir: filepath.Join(dir, "none")}); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("open what is not there: got %v, want not found", err)
	}
}

func TestTheRecipientsOfIdentities(t *testing.T) {
	t.Parallel()
	secret, recipient, err := gitchunks.GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := gitchunks.RecipientsOf("# mine\n\n" + secret + "\n"); err != nil || !slices.Equal(got, []string{recipient}) {
		t.Errorf("got %v, %v; want %s", got, err, recipient)
	}
	bad := "AGE-SECRET-KEY-1NEARLY"
	if got, err := gitchunks.RecipientsOf(secret + "\n" + bad); engram.CodeOf(err) != engram.CodeInvalid || strings.Contains(err.Error(), "NEARLY") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, %v; want that line 2 is none, and nothing of it", got, err)
	}
	if _, err := gitchunks.RecipientsOf(strings.Repeat(secret+"\n", 2000)); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a file without end: got %v, want invalid", err)
	}
}

func TestSealedChunksThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	file, recipient := identity(t)
	good := t.TempDir()
	r := open(t, gitchunks.Options{Dir: good, Recipients: []string{recipient}, IdentityFile: file})
	if err := r.SetRecipients([]string{recipient}); err != nil {
		t.Fatal(err)
	}
	b := keep(t, r, engram.Batch{}, memory(1, plainWords))
	sealed, err := os.ReadFile(sealedChunk(good, b.ID))
	if err != nil {
		t.Fatal(err)
	}
	header := sealed[:bytes.Index(sealed, []byte("\n---"))]
	flipped := slices.Clone(sealed)
	flipped[len(flipped)-5] ^= 1
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "not encrypted with age"},
		{"no age file", []byte("hello"), "not encrypted with age"},
		{"a head for more than any team has", slices.Concat(header, bytes.Repeat([]byte("\n-> X25519 AAAA\nBBBB"), 10_000), sealed[len(header):]), "its header is longer than 64 KiB"},
		{"cut off", sealed[:len(sealed)-3], "cut off or changed"},
		{"a letter changed", flipped, "cut off or changed"},
		{"something behind it", append(slices.Clone(sealed), "more"...), "cut off or changed"},
		{"a head that was changed", bytes.Replace(sealed, []byte("X25519"), []byte("X25518"), 1), "not encrypted to your identity"},
		{"a seal that is broken", bytes.Replace(sealed, []byte("\n---"), []byte("\n-> x\n---"), 1), "its content is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, ".engram", "chunks"), 0o700); err != nil {
				t.Fatal(err)
			}
			writeText(t, sealedChunk(dir, b.ID), string(tt.b))
			r := open(t, gitchunks.Options{Dir: dir, IdentityFile: file})
			if _, err := readAll(t, r, b.ID); engram.CodeOf(err) != engram.CodeInvalid && engram.CodeOf(err) != engram.CodeForbidden || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if batches, err := r.Batches(t.Context()); err != nil || len(batches) != 1 {
				t.Errorf("batches: got %+v, %v", batches, err)
			}
		})
	}
	bad := filepath.Join(t.TempDir(), "identity.txt")
	writeText(t, bad, "not a key\n")
	if _, err := readAll(t, open(t, gitchunks.Options{Dir: good, IdentityFile: bad}), b.ID); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "line 1 is not an age identity") {
		t.Errorf("with identities that are none: got %v", err)
	}
}

// The same memory is not written again when the team begins to seal: it is public already.
func TestAnUnsealedChunkIsKnownAgain(t *testing.T) {
	t.Parallel()
	file, recipient := identity(t)
	dir := t.TempDir()
	open1 := open(t, gitchunks.Options{Dir: dir})
	b := keep(t, open1, engram.Batch{At: at(1)}, memory(1, "a"))
	r := open(t, gitchunks.Options{Dir: dir, Recipients: []string{recipient}, IdentityFile: file})
	if err := r.SetRecipients([]string{recipient}); err != nil {
		t.Fatal(err)
	}
	if again := keep(t, r, engram.Batch{At: at(2)}, memory(1, "a")); again != b {
		t.Errorf("got %+v, want %+v", again, b)
	}
}
