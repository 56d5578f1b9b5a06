package git

import (
	"context"
	"strings"
)

// Ignored returns the rule by which git ignores a path below root, as FILE:LINE:PATTERN; "" for none, for
// a file that is tracked, and if git is missing, refuses or takes longer than the Timeout.
//
// Source: git-check-ignore(1).
func (f Folders) Ignored(ctx context.Context, root, path string) string {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	out, err := output(ctx, root, "check-ignore", "--verbose", "--", path)
	if err != nil { // no rule is one, too
		return ""
	}
	rule, _, found := strings.Cut(string(out), "\t")
	parts := strings.SplitN(rule, ":", 3)
	if !found || len(parts) != 3 || strings.HasPrefix(parts[2], "!") { // ! takes a file in again
		return ""
	}
	return rule
}
