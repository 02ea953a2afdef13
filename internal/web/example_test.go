package web_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/web"
)

// An instruction, run by a request of a page.
func ExampleCall() {
	request := `{"isa": "gcn:gfx8", "text": "v_add_f32 v0, v1, v2", "state": "v1=1.5 v2=2.25,-3"}`
	var answer struct{ Result web.Evaluated }
	if err := json.Unmarshal(web.Call(context.Background(), "eval", []byte(request)), &answer); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range answer.Result.Changes {
		for _, run := range r.Runs {
			fmt.Println(r.Name, "lane", run.From, run.Hex, r.Type, run.Text)
		}
	}
	// Output:
	// v0 lane 0 0x40700000 f32 3.75
	// v0 lane 1 0xbfc00000 f32 -1.5
}
