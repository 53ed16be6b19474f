package composite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/adaptertest"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

var fixed = clock.Fixed(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))

func TestKeepsTheContractOfAdapters(t *testing.T) {
	adaptertest.Run(t, func(*testing.T) adaptertest.Subject {
		p := &pack.Pack{ID: "desk", Kind: hcp.KindComposite}
		return adaptertest.Subject{
			Adapter: New(fixed, map[string]Handlers{"desk": {
				adaptertest.KeyEcho: func(_ context.Context, r adapter.Request) (any, error) {
					return map[string]any{"text": r.Args["text"]}, nil
				},
				adaptertest.KeyFail: func(context.Context, adapter.Request) (any, error) { return nil, errors.New("it broke") },
				adaptertest.KeyDigits: func(context.Context, adapter.Request) (any, error) {
					return map[string]any{"n": json.Number("12345678901234567890"), "p": json.Number("2.80")}, nil
				},
			}}),
			Pack:    p,
			Request: func(key string, args hcp.Args) adapter.Request { return adapter.Request{Pack: p, Key: key, Args: args} },
		}
	})
}

// run calls one handler through the adapter.
func run(ctx context.Context, h Handler) adapter.Outcome {
	a := New(fixed, map[string]Handlers{"desk": {"x": h}})
	return a.Run(ctx, adapter.Request{Pack: &pack.Pack{ID: "desk"}, Key: "x"})
}

func TestPanicIsAFailedCommandWithoutItsDetail(t *testing.T) {
	for _, value := range []any{"secret detail", errors.New("secret detail"), 7, fmt.Stringer(nil)} {
		out := run(context.Background(), func(context.Context, adapter.Request) (any, error) { panic(value) })
		if out.Failure == nil || out.Failure.Code != adapter.CodePanicked || !out.Started || out.Value != nil {
			t.Errorf("%v: %+v", value, out)
		}
		if strings.Contains(out.Failure.Message+out.Failure.Hint, "secret") || out.Failure.Unwrap() == nil {
			t.Errorf("%v: %v, cause %v", value, out.Failure, out.Failure.Unwrap())
		}
	}
}

func TestFaultOfAHandlerKeepsItsCode(t *testing.T) {
	want := fault.New("not_installed", "no such pack").WithHint("install it").WithNext("hcpx install x")
	out := run(context.Background(), func(context.Context, adapter.Request) (any, error) { return nil, fmt.Errorf("wrapped: %w", want) })
	if out.Failure != want {
		t.Fatalf("%+v", out.Failure)
	}
}

func TestEndOfTheContextWhileAHandlerRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := run(ctx, func(ctx context.Context, _ adapter.Request) (any, error) {
		cancel()
		return nil, ctx.Err()
	})
	if stopped.Failure.Code != adapter.CodeCanceled || !stopped.Started {
		t.Errorf("%+v", stopped)
	}
	ctx, cancel = context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if late := run(ctx, nil2); late.Failure.Code != adapter.CodeTimeout || late.Started {
		t.Errorf("%+v", late)
	}
	// An error that only looks like the context's, of something else that ended.
	other := run(context.Background(), func(context.Context, adapter.Request) (any, error) { return nil, context.Canceled })
	if other.Failure.Code != adapter.CodeCommandFailed {
		t.Errorf("%+v", other)
	}
}

func nil2(context.Context, adapter.Request) (any, error) { return nil, nil }

func TestCommandWithoutCodeIsRefused(t *testing.T) {
	a := New(fixed, map[string]Handlers{"desk": {}})
	for _, id := range []string{"desk", "other"} {
		out := a.Run(context.Background(), adapter.Request{Pack: &pack.Pack{ID: id}, Key: "x"})
		if out.Started || out.Failure.Code != CodeNoHandler {
			t.Errorf("%s: %+v", id, out)
		}
	}
}

func TestValueThatIsNoJSONIsAFailure(t *testing.T) {
	out := run(context.Background(), func(context.Context, adapter.Request) (any, error) { return make(chan int), nil })
	if out.Failure == nil || out.Failure.Code != adapter.CodeCommandFailed || out.Value != nil {
		t.Fatalf("%+v", out)
	}
}

func TestEchoPingsAndRepeats(t *testing.T) {
	a := New(fixed, map[string]Handlers{EchoPack: Echo()})
	for _, c := range []struct {
		key  string
		args hcp.Args
		want string
	}{
		{"echo.ping", nil, `{"ok":true,"pong":"pong"}`},
		{"echo.say", hcp.Args{"message": "hi"}, `{"ok":true,"message":"hi"}`},
		{"echo.say", nil, `{"ok":true,"message":""}`},
		{"echo.say", hcp.Args{"message": json.Number("2.80")}, `{"ok":true,"message":2.80}`},
	} {
		out := a.Run(context.Background(), adapter.Request{Pack: &pack.Pack{ID: "echo"}, Key: c.key, Args: c.args})
		if out.Failure != nil || string(out.Value) != c.want {
			t.Errorf("%s %v: %s, %v", c.key, c.args, out.Value, out.Failure)
		}
	}
}

func TestDeferredCommandNamesTheCommandLine(t *testing.T) {
	out := run(context.Background(), DeferToCLI("hcpx install <pack_dir>"))
	if want := `{"deferred_to_cli":true,"hint":"the store belongs to the command line; run: hcpx install <pack_dir>"}`; string(out.Value) != want {
		t.Fatalf("%s", out.Value)
	}
}
