package gitchunks

import (
	"io"
	"strings"

	"filippo.io/age"

	"github.com/alanbuscaglia/engram"
)

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
