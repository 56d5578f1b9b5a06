package text

import "golang.org/x/text/unicode/norm"

// Compose returns s in composed form (NFC), so that names that look the same are the same bytes.
func Compose(s string) string { return norm.NFC.String(s) }
