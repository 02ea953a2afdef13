#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0) buffer A { float a[]; };
layout(set=0,binding=1) buffer B { float b[]; };
layout(set=1,binding=0) uniform U { uint n; float k; };
layout(push_constant) uniform P { float add; uint off; };
shared float tmp[64];
void main(){ uint i=gl_GlobalInvocationID.x; tmp[gl_LocalInvocationID.x]= i<n? a[i]*k+add:0.0; barrier(); b[i+off]=tmp[63-gl_LocalInvocationID.x]+float(gl_NumWorkGroups.x); }
