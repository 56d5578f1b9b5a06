package daemon

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Operation answers one request; input and result are JSON.
type Operation func(ctx context.Context, in []byte) (any, error)

// Handler serves the operations to clients with the key of its record. Mount it at /daemon/{verb}
// behind the guards of the other routes, which must limit the size of requests: Handler reads them
// whole.
func Handler(key string, operations map[string]Operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !same(r.Header.Get(keyHeader), key) {
			fail(w, http.StatusForbidden, engram.Errorf(engram.CodeForbidden, "this is for the program's own commands").
				WithHint("use the other routes; GET / names them"))
			return
		}
		operation, known := operations[strings.TrimPrefix(r.URL.Path, pathPrefix)]
		if !known || r.Method != http.MethodPost {
			fail(w, http.StatusNotFound, engram.Errorf(engram.CodeNotFound, "the server has no such operation"))
			return
		}
		var in json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			fail(w, http.StatusBadRequest, engram.Errorf(engram.CodeInvalid, "the body is not JSON"))
			return
		}
		out, err := operation(r.Context(), in)
		if err != nil {
			fail(w, http.StatusConflict, err)
			return
		}
		write(w, http.StatusOK, out)
	})
}

// same compares in constant time.
func same(given, want string) bool {
	is, must := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return want != "" && subtle.ConstantTimeCompare(is[:], must[:]) == 1
}

func fail(w http.ResponseWriter, status int, err error) {
	var r refusal
	r.Error.Code, r.Error.Message, r.Error.Hint = engram.CodeOf(err), err.Error(), engram.HintOf(err)
	write(w, status, r)
}

func write(w http.ResponseWriter, status int, doc any) {
	answer, err := json.Marshal(doc)
	if err != nil {
		fail(w, http.StatusInternalServerError, engram.Errorf(engram.CodeInternal, "the answer cannot be written as JSON"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}
