package attend_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestOnlyAnErrorLikeItIsAlike(t *testing.T) {
	outcome := func(command, printed string) string {
		o := attend.Outcomes([]attend.Note{failed(command, printed), edited("src/auth.go"), ran(command)})[0]
		return o.Title + "\n" + o.Content
	}
	module := outcome("python3 app.py", "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'")
	cart := outcome("pytest -q", "E assert 4 == 3\nFAILED tests/test_cart.py::test_total - assert 4 == 3\n1 failed, 1 passed in 0.02s")
	build := outcome("go build ./...", "# shop\npool/conn.go:12:9: undefined: releaseAll")
	const pool = "Pool exhaustion in the order worker\nThe order worker leaked connections because rows.Close was missing in internal/orders/loader.go."
	for _, tt := range []struct {
		name, printed, told string
		want                bool
	}{
		{"the same error", "ModuleNotFoundError: No module named 'yaml'", module, true},
		{"the same class of error", "ModuleNotFoundError: No module named 'requests'", module, true},
		{"the same test", "FAILED tests/test_cart.py::test_total - assert 5 == 3", cart, true},
		{"the same name", "pool/other.go:40:2: undefined: releaseAll", build, true},
		{"the same matter in other words", "error: order worker: connections exhausted in the pool", pool, true},
		{"a linter", "src/a.ts 3:1 error Missing semicolon (semi)\n1 problem", module, false},
		{"a linter, beside a test", "src/a.ts 3:1 error Missing semicolon (semi)\n1 problem", cart, false},
		{"docker", "ERROR: failed to solve: process \"/bin/sh -c apt-get update\" did not complete successfully: exit code: 100", module, false},
		{"docker, beside a test", "ERROR: failed to solve: process \"/bin/sh -c apt-get update\" did not complete successfully: exit code: 100", cart, false},
		{"another name", "src/x.go:5:2: undefined: foo", build, false},
		{"go, beside Python", "src/x.go:5:2: undefined: foo", module, false},
		{"cargo, beside Python", "error[E0382]: borrow of moved value: `items`", module, false},
		{"terraform", "Error: Unsupported argument on main.tf line 12", module, false},
		{"kubectl", "error: the server doesn't have a resource type \"ingresss\"", module, false},
		{"make", "make: *** No rule to make target 'docs'. Stop.", module, false},
		{"ls", "ls: cannot access 'nope': No such file or directory", module, false},
		{"git", "CONFLICT (content): Merge conflict in a.go\nAutomatic merge failed", build, false},
		{"another test of the same runner", "FAILED tests/test_user.py::test_login - KeyError: 'id'\n1 failed in 0.1s", cart, false},
		{"a class that any program has", "TypeError: fetch is null", outcome("node a.js", "TypeError: Cannot read properties of undefined (reading 'cart')"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attend.Alike(attend.Fault(tt.printed), tt.told); got != tt.want {
				t.Errorf("Alike(%q, %q) = %v, want %v", attend.Fault(tt.printed), tt.told, got, tt.want)
			}
		})
	}
}
