package git

import (
	"context"
	"strings"
)

// Ignored returns the rule by which git ignores a path below root, as FILE:LINE:PATTERN; "" if no
// rule matches, the file is tracked, or git is missing, fails or exceeds the Timeout.
//
// Source: git-check-ignore(1).
func (f Folders) Ignored(ctx context.Context, root, path string) string {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	out, err := output(ctx, root, "check-ignore", "--verbose", "--", path)
	if err != nil { // also if no rule matches
		return ""
	}
	rule, _, found := strings.Cut(string(out), "\t")
	parts := strings.SplitN(rule, ":", 3)
	if !found || len(parts) != 3 || strings.HasPrefix(parts[2], "!") { // ! includes a file again
		return ""
	}
	return rule
}
