#version 450
layout(local_size_x=32) in;
layout(set=0,binding=0) buffer A { uint a[]; } bufs[2];
layout(push_constant) uniform P { uint k[8]; };
void main(){ uint t[256]; uint i=gl_LocalInvocationIndex; for(uint j=0;j<256;j++) t[j]=j*3+i; uint g=gl_WorkGroupID.y; bufs[1].a[g*32+i]=t[bufs[0].a[i]&255u]+k[g&7u]+gl_NumWorkGroups.y; }
