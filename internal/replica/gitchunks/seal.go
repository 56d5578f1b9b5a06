package gitchunks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/alanbuscaglia/engram"
)

// maxHeader is the longest header of a sealed chunk: a recipient takes about 100 bytes, and each is
// tried with each identity.
const maxHeader = 64 << 10

// Recipients returns the recipients in .engram/recipients.txt, sorted, each once; none if there is
// no such file. Anyone with push access can propose them: nothing is sealed for them until they are
// in Options. CodeInvalid for a file with anything else.
func (r *Repository) Recipients() ([]string, error) {
	folder, err := r.folder(false, folderName)
	if err != nil || folder == nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return recipientsIn(folder)
}

func recipientsIn(folder *os.Root) ([]string, error) {
	b, err := readFile(context.Background(), folder, recipientsName, maxKeys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("cannot read "+recipientsName, err)
	}
	var all []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	if _, err := recipientsOf(all); err != nil {
		return nil, err
	}
	return setSorted(all), nil
}

// setSorted returns the texts sorted, each once, in a new list.
func setSorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// Sealed reports whether there are sealed chunks.
func (r *Repository) Sealed() (bool, error) {
	at, err := r.folder(false, folderName, chunksName)
	if err != nil || at == nil {
		return false, err
	}
	defer func() { _ = at.Close() }()
	entries, err := fs.ReadDir(at.FS(), ".")
	if err != nil {
		return false, failed("cannot list the chunks", err)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), sealedSuffix) }), nil
}

// SetRecipients writes .engram/recipients.txt, or removes it for an empty list. It is for the team:
// writing uses Options.
func (r *Repository) SetRecipients(recipients []string) error {
	if _, err := recipientsOf(recipients); err != nil {
		return err
	}
	folder, err := r.folder(true, folderName)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	if len(recipients) == 0 {
		if err := folder.Remove(recipientsName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("cannot remove "+recipientsName, err)
		}
		return nil
	}
	text := "# The age recipients that can decrypt the chunks in this folder, one per line.\n" + strings.Join(setSorted(recipients), "\n") + "\n"
	return writeFile(folder, recipientsName, []byte(text))
}

// agreed checks that the repository has the recipients that the user agreed to. Sealing for others
// would show the memory to the author of the change, and not sealing to everyone.
func (r *Repository) agreed(folder *os.Root) error {
	named, err := recipientsIn(folder)
	if err != nil {
		return err
	}
	mine := setSorted(r.o.Recipients)
	if slices.Equal(named, mine) {
		return nil
	}
	if len(mine) == 0 {
		return engram.Errorf(engram.CodeForbidden, "the chunks in this repository are encrypted to %d recipients that you have not confirmed", len(named)).
			WithHint("check the recipients in %s/%s, then confirm them: {sync recipients trust}", folderName, recipientsName)
	}
	return engram.Errorf(engram.CodeConflict, "%s/%s has changed: %s", folderName, recipientsName, difference(named, mine)).
		WithHint("see git log on the file; confirm the change with {sync recipients trust}, or restore the file")
}

// difference lists added and removed recipients.
func difference(now, before []string) string {
	var words []string
	list := func(sign string, all, others []string) {
		for _, r := range all {
			if !slices.Contains(others, r) {
				words = append(words, sign+r)
			}
		}
	}
	list("+", now, before)
	list("-", before, now)
	const most = 6
	if len(words) > most {
		words = append(words[:most], fmt.Sprintf("and %d more", len(words)-most))
	}
	return strings.Join(words, " ")
}

func (r *Repository) seal(packed []byte) ([]byte, error) {
	recipients, err := recipientsOf(r.o.Recipients)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := age.Encrypt(&b, recipients...)
	if err == nil {
		_, err = w.Write(packed)
		err = cmp.Or(err, w.Close())
	}
	if err != nil {
		return nil, engram.Errorf(engram.CodeInternal, "cannot encrypt the chunk").WithCause(err)
	}
	return b.Bytes(), nil
}

// unsealing decrypts a sealed chunk; CodeForbidden if it is not for this reader.
func (r *Repository) unsealing(sealed []byte) (io.Reader, error) {
	if !bytes.Contains(sealed[:min(len(sealed), maxHeader)], []byte("\n---")) {
		return nil, engram.Errorf(engram.CodeInvalid, "it is not encrypted with age, or its header is longer than %d KiB", maxHeader>>10)
	}
	all, err := r.identities()
	if err != nil {
		return nil, &elsewhere{err}
	}
	if len(all) == 0 {
		return nil, &elsewhere{engram.Errorf(engram.CodeForbidden, "cannot decrypt it: no identity was found%s", where(r.o.IdentityFile)).
			WithHint("restore the identity file; or create an identity, and ask the team to add its recipient and push again")}
	}
	in, err := age.Decrypt(bytes.NewReader(sealed), all...)
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, &elsewhere{engram.Errorf(engram.CodeForbidden, "it is not encrypted to your identity").
			WithHint("ask the team to add your recipient and push again")}
	}
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot decrypt it: its content is damaged").WithCause(err)
	}
	return in, nil
}

// where formats the file that was searched; "" for none.
func where(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

// OnlyMine returns CodeForbidden for an identity file that is a link, not a file, or readable by
// others: its content would not be secret. A missing file is fine.
func OnlyMine(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failed("cannot read the identities", err)
	case !info.Mode().IsRegular():
		return engram.Errorf(engram.CodeForbidden, "%s is not a file, and links are not followed", path).WithHint("replace it by the file itself")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return engram.Errorf(engram.CodeForbidden, "others can read %s: its mode is %04o", path, info.Mode().Perm()).WithHint("chmod 600 %s", path)
	}
	return nil
}

func (r *Repository) identities() ([]age.Identity, error) {
	if r.o.IdentityFile == "" {
		return nil, nil
	}
	if err := OnlyMine(r.o.IdentityFile); err != nil {
		return nil, err
	}
	f, err := os.Open(r.o.IdentityFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("cannot read the identities", err)
	}
	defer func() { _ = f.Close() }()
	mine, err := identitiesOf(f)
	err = prefixed(r.o.IdentityFile+": ", err)
	all := make([]age.Identity, len(mine))
	for i, m := range mine {
		all[i] = m
	}
	return all, err
}

// maxKeys is the largest file of recipients or identities, in bytes.
const maxKeys = 64 << 10

// GenerateIdentity makes a key pair: the identity (AGE-SECRET-KEY-1…), for a private file, and its
// recipient (age1…), for the team's recipients.txt.
func GenerateIdentity() (identity, recipient string, err error) {
	i, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", engram.Errorf(engram.CodeInternal, "cannot create a key").WithCause(err)
	}
	return i.String(), i.Recipient().String(), nil
}

// RecipientsOf returns the recipients of the identities in a text, one per line; blank lines and
// comments (#) are ignored. CodeInvalid for any other line, which is not quoted: it may be a
// secret.
func RecipientsOf(identities string) ([]string, error) {
	all, err := identitiesOf(strings.NewReader(identities))
	if err != nil {
		return nil, err
	}
	var recipients []string
	for _, i := range all {
		recipients = append(recipients, i.Recipient().String())
	}
	return recipients, nil
}

func identitiesOf(r io.Reader) ([]*age.X25519Identity, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxKeys+1))
	if err != nil {
		return nil, failed("cannot read the identities", err)
	}
	var all []*age.X25519Identity
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		i, err := age.ParseX25519Identity(line)
		if err != nil || len(text) > maxKeys {
			return nil, noIdentity(n+1, line)
		}
		all = append(all, i)
	}
	return all, nil
}

// recipientsOf parses recipients; CodeInvalid for invalid ones.
func recipientsOf(texts []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, text := range texts {
		r, err := age.ParseX25519Recipient(strings.TrimSpace(text))
		if err != nil {
			return nil, noRecipient(text)
		}
		all = append(all, r)
	}
	return all, nil
}

// noIdentity reports an invalid line of an identity file by the kind of key it looks like, without
// quoting it. Keys with a passphrase or a plugin would need a person whenever chunks are read.
func noIdentity(n int, line string) error {
	switch {
	case strings.HasPrefix(line, "AGE-PLUGIN-"):
		return engram.Errorf(engram.CodeInvalid, "line %d is an identity of an age plugin, which is not supported", n).WithHint("move the file away and create an age key: {sync keygen}")
	case strings.HasPrefix(line, "-----BEGIN AGE ENCRYPTED"), strings.HasPrefix(line, "age-encryption.org/"):
		return engram.Errorf(engram.CodeInvalid, "line %d begins a file protected by a passphrase, which is not supported", n).WithHint("decrypt it with age --decrypt and keep it where only you can read it")
	case strings.HasPrefix(line, "-----BEGIN") && strings.Contains(line, "PRIVATE KEY"):
		return engram.Errorf(engram.CodeInvalid, "line %d begins an SSH or PEM key; only age keys are supported", n).WithHint("move the file away and create an age key: {sync keygen}")
	}
	return engram.Errorf(engram.CodeInvalid, "line %d is not an age identity", n).WithHint("write one per line, as age-keygen does: AGE-SECRET-KEY-1…")
}

func noRecipient(text string) error {
	text = strings.TrimSpace(text)
	is := "not an age recipient"
	switch {
	case strings.HasPrefix(text, "ssh-"), strings.HasPrefix(text, "ecdsa-"):
		is = "an SSH key; only age keys are supported"
	case strings.HasPrefix(text, "age1") && strings.Contains(text[len("age1"):], "1"):
		is = "a recipient of an age plugin, which is not supported" // the plugin's name precedes the second 1, which no data has
	}
	return engram.Errorf(engram.CodeInvalid, "%.80q is %s", text, is).WithHint("use a recipient that begins with age1, made by {sync keygen} or age-keygen")
}
