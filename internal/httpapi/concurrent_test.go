package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// Ten agents save and search at once; nothing fails, nothing is lost, no number is
// given twice.
func TestTenClientsAtOnce(t *testing.T) {
	t.Parallel()
	base := "http://" + live(t, httpapi.Options{})
	const clients, saves = 10, 12
	var mu sync.Mutex
	nums := map[int]bool{}
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range saves {
				body := fmt.Sprintf(`{"session_id":"s%d","project":"p","title":"Note %d of %d","content":"client %d noted %d"}`, c, i, c, c, i)
				var saved struct{ ID int }
				if err := call("POST", base+"/observations", body, &saved); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				nums[saved.ID] = true
				mu.Unlock()
				var hits []struct{ ID int }
				if err := call("GET", base+"/search?q=client+noted&project=p", "", &hits); err != nil || len(hits) == 0 {
					t.Errorf("search after a save: got %d hits, %v", len(hits), err)
				}
			}
		})
	}
	all.Wait()
	var stats struct {
		Observations int `json:"total_observations"`
		Sessions     int `json:"total_sessions"`
	}
	if err := call("GET", base+"/stats", "", &stats); err != nil {
		t.Fatal(err)
	}
	if len(nums) != clients*saves || stats.Observations != clients*saves || stats.Sessions != clients {
		t.Errorf("got %d numbers, %+v; want %d memories in %d sessions", len(nums), stats, clients*saves, clients)
	}
}

func call(method, url, body string, out any) error {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s %s: %s", method, url, body, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(out)
}
