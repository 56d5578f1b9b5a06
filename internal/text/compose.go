package text

import "golang.org/x/text/unicode/norm"

// Compose returns s with letters and their marks written as one where Unicode has one for
// them (NFC): two names that look the same are the same bytes then.
func Compose(s string) string { return norm.NFC.String(s) }
