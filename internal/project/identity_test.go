package project_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/project"
)

func TestARepositoryIsCalledTheSameByEverybody(t *testing.T) {
	const want = "example.com/owner/app"
	for _, remote := range []string{"https://example.com/Owner/App", "https://example.com/owner/app.git", "https://me:t0ken@example.com/owner/app.git/",
		"git@example.com:owner/app.git", "ssh://git@example.com:22/owner/app", "example.com:Owner/App", "git://Example.COM/owner/app"} {
		if got := project.RemoteIdentity(remote); got != want {
			t.Errorf("RemoteIdentity(%q) = %q, want %q", remote, got, want)
		}
	}
	for _, remote := range []string{"", "/srv/app.git", "../app", `C:\src\app`, "file:///srv/app.git", "https://example.com", "me:t0ken@example.com/app", "app"} {
		if got := project.RemoteIdentity(remote); got != "" {
			t.Errorf("RemoteIdentity(%q) = %q, want none", remote, got)
		}
	}
}
