package dap

import (
	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// sourceScopes returns the scopes of variables of the source, as far as the code has debug information.
func (s *session) sourceScopes(at *debug.Scope) (list []dap.Scope) {
	args, locals := at.Variables()
	if len(args) == 0 {
		args = at.Arguments()
	}
	if len(locals) > 0 {
		list = append(list, dap.Scope{Name: "Locals", PresentationHint: "locals", VariablesReference: s.refer(s.objects(at, locals)), NamedVariables: len(locals)})
	}
	if len(args) > 0 {
		list = append(list, dap.Scope{Name: "Arguments", PresentationHint: "arguments", VariablesReference: s.refer(s.objects(at, args)), NamedVariables: len(args)})
	}
	if globals := at.Globals(); len(globals) > 0 {
		list = append(list, dap.Scope{Name: "Globals", VariablesReference: s.refer(s.objects(at, globals)), NamedVariables: len(globals)})
	}
	return list
}

// objects returns a holder of variables.
func (s *session) objects(at *debug.Scope, all []*debug.Object) holder {
	return func(start, count int) (list []item, err error) {
		from, to := window(len(all), start, count)
		for _, o := range all[from:to] {
			list = append(list, s.object(at, o, o.Name))
		}
		return list, nil
	}
}

// object returns a variable or a part of one. Without a lane, its value is shown for several lanes if they differ,
// and its parts are those of the lowest active lane.
func (s *session) object(at *debug.Scope, o *debug.Object, name string) item {
	v := item{Variable: dap.Variable{Name: name, Type: o.Type.Name, EvaluateName: o.Name}}
	v.value = func(hex bool) string {
		f := debug.Format(0)
		if hex {
			f = 'x'
		}
		e, err := debug.Parse(o.Name)
		if err != nil { // a name that no expression can have
			return o.Text(f)
		}
		shown, err := at.Show(e, f, 0, shownLanes-1)
		if err != nil {
			return o.Text(f)
		}
		if shown.Note != "" {
			return shown.Text + " (" + shown.Note + ")"
		}
		return shown.Text
	}
	v.set = func(text string) error { return s.run.Set(o, text) }
	if w, err := o.Watch(); err == nil {
		v.watch = w
	}
	if _, all := o.Parts(0, 0); all > 0 && o.Err() == nil {
		v.VariablesReference = s.refer(func(start, count int) (list []item, err error) {
			from, to := window(all, start, count)
			parts, _ := o.Parts(from, to-from)
			for _, p := range parts {
				list = append(list, s.object(at, p, o.PartName(p)))
			}
			return list, nil
		})
		if o.Indexed() {
			v.IndexedVariables = all
		} else {
			v.NamedVariables = all
		}
	}
	return v
}
