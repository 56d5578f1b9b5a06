package git

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/project"
)

// remote returns the URL of "origin" of the repository at root, without credentials; "" if it has
// none, or git is missing, refuses (another user's repository) or takes too long.
func (f Folders) remote(ctx context.Context, root string) string {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	out, err := command(ctx, root, "remote", "get-url", "origin").Output()
	if err != nil {
		return ""
	}
	url, _, _ := strings.Cut(string(out), "\n")
	return project.SafeRemote(url)
}

func (f Folders) timeout() time.Duration {
	if f.Timeout > 0 {
		return f.Timeout
	}
	return 2 * time.Second
}

// environment returns env for a git that never prompts and that uses the folder it is given: inside
// a git hook, these variables point elsewhere.
func environment(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
			"GIT_CONFIG_COUNT", "GIT_TRACE":
			return true
		}
		return false
	})
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}
