package composite

import (
	"context"

	"bridle/internal/hcp/adapter"
)

// EchoPack is the id of the smallest composite pack.
const EchoPack = "echo"

// Echo returns the handlers of the echo pack: ping answers, say repeats.
func Echo() Handlers {
	return Handlers{
		"echo.ping": func(context.Context, adapter.Request) (any, error) {
			return struct {
				OK   bool   `json:"ok"`
				Pong string `json:"pong"`
			}{true, "pong"}, nil
		},
		"echo.say": func(_ context.Context, r adapter.Request) (any, error) {
			message := r.Args["message"]
			if message == nil {
				message = ""
			}
			return struct {
				OK      bool `json:"ok"`
				Message any  `json:"message"`
			}{true, message}, nil
		},
	}
}
