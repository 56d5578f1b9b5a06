package git

import (
	"context"
	"strings"
)

// Ignored returns the rule by which git leaves a file out of the repository at root, as
// FILE:LINE:PATTERN; "" when there is none, and where git is missing, refuses or takes longer
// than the Timeout. path is below root, and need not be there. A file that git has already is
// not left out.
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
