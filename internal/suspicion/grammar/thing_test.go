package grammar

import "testing"

// A path of secrets is looked for only where the literals may be: none of them may be missed.
func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range SecretPaths {
		if secretPlaces().In("config/"+p) == 0 {
			t.Errorf("%q is missed", p)
		}
	}
	if secretPlaces().In("internal/auth/token_cache.go") != 0 {
		t.Error("a path without secrets is looked through")
	}
}
