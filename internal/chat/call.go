package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	tries   = 3
	maxBody = 1 << 20 // bytes of an answer, several hundred times the expected size
)

// ask sends body and returns the model's answer, with retries where they may help.
func (c *Client) ask(ctx context.Context, body []byte) (string, error) {
	pause := c.pause
	for try := 1; ; try++ {
		said, again, err := c.once(ctx, body)
		if err == nil || !again || try == tries {
			return said, err
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return "", err
		}
		pause *= 2
	}
}

// once sends body once and returns the model's answer. again says that a retry may succeed.
func (c *Client) once(ctx context.Context, body []byte) (said string, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+completions, bytes.NewReader(body))
	if err != nil {
		return "", false, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return "", true, err
	}
	defer func() { _ = res.Body.Close() }()
	if code := res.StatusCode; code != http.StatusOK {
		return "", code == http.StatusTooManyRequests || code >= 500, c.refused(code)
	}
	// Not a decoder: it would not distinguish a body that is too long from a broken one.
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return "", true, err
	}
	if len(text) > maxBody {
		return "", false, c.unavailable("the language model's answer is longer than 1 MiB", "try another model")
	}
	if said, err = spoken(text); err != nil {
		return "", false, c.unavailable("the server is not a language model", "use an address that ends in /v1").WithCause(err)
	}
	return said, false, nil
}

// refused explains a status other than 200. It does not quote the body: servers repeat keys and memories in it.
func (c *Client) refused(status int) error {
	advice := "see its log"
	switch {
	case status >= 300 && status < 400:
		advice = "the server redirects, but memories are sent only to the configured address"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "check its key (ENGRAM_LLM_API_KEY)"
	case status == http.StatusNotFound:
		advice = "check the model's name (llm_model), and that the address ends in /v1"
	case status == http.StatusTooManyRequests:
		advice = "try later"
	}
	return c.unavailable(fmt.Sprintf("the language model's server answers with %d %s", status, http.StatusText(status)), advice)
}

// spoken returns the text of the first choice of a chat completion. Content is a string or, from some servers,
// a list of parts.
func spoken(body []byte) (string, error) {
	var r struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return "", errors.New("not a chat completion")
	}
	if len(r.Choices) == 0 {
		return "", errors.New("the chat completion has no choice")
	}
	content := r.Choices[0].Message.Content
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", errors.New("the content of the chat completion is not text")
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, nil
}
